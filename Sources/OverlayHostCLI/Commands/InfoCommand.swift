import ArgumentParser
import FoundationEssentials
import Glibc
import JSON
import OverlayHost
import Publications

/// `info BOOK`: everything that is known about a book.
struct InfoCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show everything known about a book.",
        usage: "overlayhost info [--cover <file>] <book> [<options>]",
        discussion: """
            BOOK can be a book on the device, a local file, an http or https URL, or - for standard \
            input. For a book on the device, info shows the reader app's record and the metadata in the \
            book's file; for the others, the metadata in the file. A local file takes precedence over a \
            book on the device; with --device, --app or --simulated only if BOOK contains a / or ends in \
            a book's extension.
            """)

    @Argument(
        help: "A book on the device (path, uuid, unique title or cite key), a file, a URL, or -.",
        completion: .custom(KnownNames.booksAndFiles))
    var book: String
    @Option(
        help: ArgumentHelp("Save the cover to this file. It must not exist yet.", valueName: "file"),
        completion: .file())
    var cover: String?
    @Flag(
        help: ArgumentHelp(
            "Show only the reader app's record of a book on the device, without reading the "
                + "book's file."))
    var noFile = false
    @Flag(help: "Download a URL again, and keep no copy.") var noCache = false
    @OptionGroup var global: GlobalOptions<InfoCommand>

    private var namesDevice: Bool {
        global.device != nil || global.app != nil || global.simulated
            || global.simulatedFolder != nil
    }

    private var meaning: BookArgument { BookArgument(book, namesDevice: namesDevice) }

    var isAboutDevices: Bool {
        if case .book = meaning { true } else { false }
    }

    func checkForMany() throws(HostError) {
        guard cover == nil else {
            throw HostError(
                .usage, "--cover can save the cover from one device only.",
                hint: "Choose one device with --device.")
        }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        switch meaning {
        case .input: return try describe("stdin", "standard input", invocation)
        case .url: return try describe("url", "the web", invocation)
        case .file: return try describe("file", "a local file", invocation)
        case .folder: throw Self.folder(book)
        case .missing: throw Self.noFile(book)
        case .book(let looksLikeFile): return try describeOnDevice(looksLikeFile, invocation)
        }
    }

    private static func noFile(_ book: String) -> HostError {
        HostError(.inputUnreadable, "No such file or directory.", subject: book)
    }

    private static func folder(_ book: String) -> HostError {
        HostError(
            .inputUnreadable, "This is a folder, not a book.", subject: book, hint: "Choose a file in it.")
    }

    // MARK: on the device

    private func describeOnDevice(
        _ looksLikeFile: Bool, _ invocation: Invocation
    ) throws(HostError) -> ExitStatus {
        let found: BookOnDevice
        do throws(HostError) {
            let session = try invocation.openSession()
            defer { session.close() }
            var record = try session.info(book, withCover: cover != nil, withAnnotations: true)
            if !noFile { record = try session.readingPDFAnnotations(of: [record], fetching: false)[0] }
            found = BookOnDevice(
                record: record, file: noFile ? nil : try BookOnDevice.File(record, session),
                place: "\(session.app.name) on \(session.device.name ?? session.device.udid)")
        } catch {
            // For a mistyped file name or a folder, an error about a missing device would be misleading.
            let isFolder = BookArgument.isFolder(book)
            if looksLikeFile || isFolder, !namesDevice, error.exitStatus == .unavailable {
                var missing = isFolder ? Self.folder(book) : Self.noFile(book)
                missing.hint = "Cannot look for it on a device either: \(error.message)"
                missing.underlying = error
                throw missing
            }
            if looksLikeFile || !namesDevice, error.code == .notFound || error.exitStatus == .unavailable {
                invocation.console.note(
                    "There is no local file '\(TerminalText.sanitized(book))'; looking for it on the "
                        + "device."
                )
            }
            throw error
        }
        invocation.progress.clear()
        if let cover { try save(found.record, to: cover) }
        invocation.console.result(found.json) { found.text(width: invocation.console.width) }
        report(found.file?.info?.shortcomings ?? [], invocation)
        return .done
    }

    // MARK: elsewhere

    /// Shows the metadata in a file.
    ///
    /// - Parameters:
    ///   - source: the location, for programs.
    ///   - place: the location, for people.
    private func describe(
        _ source: String, _ place: String, _ invocation: Invocation
    ) throws(HostError) -> ExitStatus {
        let content = try invocation.content(book, usesCache: !noCache)
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
        var document = info.book(path: book, size: Int64(clamping: size))
        document["source"] = .string(source)
        invocation.console.result(.object(document)) {
            var record = BookRecord(path: book, info)
            record.size = size
            return BookDocument.text(
                record, more: PublicationDocument.fields(info) + [("Where", place)],
                width: invocation.console.width)
        }
        report(info.shortcomings, invocation)
        return .done
    }

    private func report(_ shortcomings: [Shortcoming], _ invocation: Invocation) {
        for shortcoming in shortcomings {
            invocation.console.note(TerminalText.sanitized(FieldText.limited(shortcoming.description)))
        }
    }

    private func save(_ book: BookRecord, to file: String) throws(HostError) {
        guard let data = book.cover?.data else {
            throw HostError(.notFound, "This book has no cover.", subject: book.title ?? book.path)
        }
        try NewFile.write(data, to: file, what: "cover")
    }
}
