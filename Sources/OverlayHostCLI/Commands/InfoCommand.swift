import ArgumentParser
import Foundation
import JSON
import OverlayHost
import Publications

/// `info BOOK`: all that is known of one book.
struct InfoCommand: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show everything known about one book.",
        usage: "overlayhost info [--cover <file>] <book> [<options>]",
        discussion: """
            BOOK is a book on the device; or a file of this computer, an http or https URL, or - for standard input: \
            then what the book says of itself is told. A file of this computer goes before a book on the device.
            """)

    @Argument(
        help: "A book on the device (path, uuid, unique title), a file, a URL, or -.", completion: .file())
    var book: String
    @Option(
        help: ArgumentHelp("Save the cover to this file, which must not exist.", valueName: "file"),
        completion: .file())
    var cover: String?
    @OptionGroup var global: GlobalOptions

    var isAboutDevices: Bool {
        let meansDevice =
            global.device != nil || global.app != nil || global.simulated || global.simulatedFolder != nil
        return !(book == "-" || OpenContent.isURL(book) || (!meansDevice && OpenContent.isFile(book)))
    }

    func checkForMany() throws(HostError) {
        guard cover == nil else {
            throw HostError(
                .usage, "--cover names one file, which cannot take the covers of several devices.",
                hint: "Name one device with --device.")
        }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        guard isAboutDevices else { return try describeFile(invocation) }
        let record: BookRecord
        do throws(HostError) {
            let session = try invocation.openSession()
            defer { session.close() }
            record = try session.info(book, withCover: cover != nil, withAnnotations: true)
        } catch {
            // A mistyped file name must not end in a lecture about cables.
            if error.code == .notFound || error.exitStatus == .unavailable {
                invocation.console.note(
                    "'\(TerminalText.sanitized(book))' is no file of this computer; it was looked for on the device."
                )
            }
            throw error
        }
        invocation.progress.clear()
        if let cover { try save(record, to: cover) }
        invocation.console.result(BookDocument.full(record)) { BookDocument.text(record) }
        return .done
    }

    /// What a file says of itself.
    private func describeFile(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let content = try invocation.content(book)
        defer { content.close() }
        let info = try content.publication()
        if let cover {
            guard let image = info.cover else {
                throw HostError(.notFound, "This book has no cover.", subject: info.metadata.title ?? book)
            }
            let bytes: Data
            do throws(PublicationError) { bytes = try image.read() } catch { throw HostError(error) }
            try NewFile.write([UInt8](bytes), to: cover, what: "cover")
        }
        let size = try content.length()
        invocation.console.result(.object(info.book(path: book, size: Int64(clamping: size)))) {
            var record = BookRecord(path: book, info)
            record.size = size
            return BookDocument.text(record, more: PublicationDocument.fields(info))
        }
        for shortcoming in info.shortcomings {
            invocation.console.note(TerminalText.sanitized(shortcoming.description))
        }
        return .done
    }

    private func save(_ book: BookRecord, to file: String) throws(HostError) {
        guard let data = book.cover?.data else {
            throw HostError(.notFound, "This book has no cover.", subject: book.title ?? book.path)
        }
        try NewFile.write(data, to: file, what: "cover")
    }
}
