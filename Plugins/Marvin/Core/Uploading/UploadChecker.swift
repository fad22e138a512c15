import CommandProtocol
import OverlayKit

/// Looks at the files of an upload before anything is sent.
struct UploadChecker {
    let host: HostServices

    /// The size of an item's file if it is an EPUB that can be opened; by its content, for names lie.
    func size(_ item: UploadItem) throws(OverlayError) -> UInt64 {
        let size = try host.transport.localInfo(item.file).size
        guard size > 0 else { throw Self.refused("The file is empty.", .unsupportedFormat) }
        let format = try host.sniff.sniff(.file(item.file), hints: SniffHints(contentOnly: true))
        if let name = format.name, format.mediaType != MarvinFormat.epub, !Self.mayHoldEPUB(format) {
            throw OverlayError(
                .unsupportedFormat, "This is \(Self.phrase(name)), not an EPUB.",
                hint: "Marvin takes EPUBs only; convert the book first.")
        }
        // An EPUB is a ZIP archive with this entry (EPUB OCF 3.3, section 4.2); its `mimetype` is often not where it should be.
        let entries: [ResourceInfo]
        do {
            entries = try host.fetch.links(.file(item.file))
        } catch {
            switch error.status {
            case .damaged: throw Self.refused("The EPUB cannot be opened: \(error.message)", .damaged)
            case .unsupportedFormat:
                throw Self.refused("This is no EPUB: it is no ZIP archive.", .unsupportedFormat)
            default: throw error
            }
        }
        guard entries.contains(where: { $0.href?.hasSuffix("META-INF/container.xml") ?? false }) else {
            throw Self.refused(
                format.mediaType == MarvinFormat.epub
                    ? "The EPUB is broken: it has no META-INF/container.xml."
                    : "This is a ZIP archive without META-INF/container.xml, not an EPUB.",
                format.mediaType == MarvinFormat.epub ? .damaged : .unsupportedFormat)
        }
        return size
    }

    /// The hash of the cover for the command, and the cover itself if the file has another one or none.
    func cover(_ item: UploadItem) -> (hash: String?, cover: EmbeddedCover?) {
        guard let image = item.book.coverData, BookCover(image: image) != nil else { return (nil, nil) }
        let hash = MD5.hex(image)
        do throws(OverlayError) {
            let own = try host.metadata.read(.file(item.file), covers: true).book.coverData
            return own == image ? (hash, nil) : (nil, EmbeddedCover(hash: hash, data: image))
        } catch {
            host.log.debug("marvin", "The file's own cover is not known: \(error.message)")
            return (hash, nil)
        }
    }

    /// Whether a file that was recognised as something general may be an EPUB nevertheless.
    private static func mayHoldEPUB(_ format: SniffResult) -> Bool {
        format.mediaType == "application/zip"
    }

    private static func refused(_ message: String, _ status: OverlayStatus) -> OverlayError {
        OverlayError(
            status, message.sentence,
            hint: status == .damaged
                ? "Get the book again." : "Marvin takes EPUBs only; convert the book first.")
    }

    /// A format's name with its article, such as "a PDF document".
    private static func phrase(_ name: String) -> String {
        let word = name.prefix { $0 != " " }
        // Letters that are spoken with a vowel at their beginning, as in "an MP3".
        let isSpelled =
            word.count > 1 && word.allSatisfy { $0.isUppercase || $0.isNumber }
            && !word.dropFirst().contains { "AEIOU".contains($0) }
        let vowels = isSpelled ? "AEFHILMNORSX" : "AEIOUaeiou"
        return (name.first.map { vowels.contains($0) } ?? false ? "an " : "a ") + name
    }
}
