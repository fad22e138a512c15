import BookFolders
import MarvinCommands
import OverlayKit

/// Checks the files of an upload before anything is sent.
struct UploadChecker {
    let host: HostServices

    /// The size of an item's file if it is an EPUB that can be opened, judged by its content, not its name.
    func size(_ item: UploadItem) throws(OverlayError) -> UInt64 {
        let size = try host.transport.localInfo(item.file).size
        guard size > 0 else { throw Self.refused("The file is empty.", .unsupportedFormat) }
        let format = try host.sniff.sniff(.file(item.file), hints: SniffHints(contentOnly: true))
        if let name = format.name, format.mediaType != MarvinFormat.epub, !Self.mayHoldEPUB(format) {
            throw OverlayError(
                .unsupportedFormat, "This is \(Self.phrase(name)), not an EPUB.",
                hint: "Marvin accepts only EPUBs. Convert the book first.")
        }
        // An EPUB is a ZIP archive with this entry (EPUB OCF 3.3, section 4.2); its `mimetype` is often not in the
        // right place.
        let entries: [ResourceInfo]
        do {
            entries = try EPUBCheck(host).entries(item.file)
        } catch {
            guard error.status == .unsupportedFormat else { throw error }
            throw Self.refused("This is not an EPUB because it is not a ZIP archive.", .unsupportedFormat)
        }
        guard entries.contains(where: { $0.href?.hasSuffix("META-INF/container.xml") ?? false }) else {
            throw Self.refused(
                format.mediaType == MarvinFormat.epub
                    ? "The EPUB is damaged: META-INF/container.xml is missing."
                    : "This is a ZIP archive without META-INF/container.xml, not an EPUB.",
                format.mediaType == MarvinFormat.epub ? .damaged : .unsupportedFormat)
        }
        return size
    }

    /// Adds what Marvin needs besides the file: the hash of the cover, or the cover itself if it is not in the file,
    /// and the values that are not in the file.
    func complete(_ upload: inout LibraryUpload, _ item: UploadItem) throws(OverlayError) {
        let image = item.book.coverData.flatMap { CoverThumbnail(image: $0) == nil ? nil : $0 }
        let own: Book
        do throws(OverlayError) {
            own = try host.metadata.read(.file(item.file), covers: image != nil).book
        } catch {
            host.log.debug("marvin", "Cannot read the file's metadata: \(error.message)")
            upload.coverHash = try image.map(EmbeddedCover.hash)
            return
        }
        upload.untold = item.book.beyond(own)
        guard let image else { return }
        let hash = try EmbeddedCover.hash(of: image)
        if own.coverData == image {
            upload.coverHash = hash
        } else {
            upload.cover = EmbeddedCover(hash: hash, data: image)
        }
    }

    /// Whether a file with a recognised general format may still be an EPUB.
    private static func mayHoldEPUB(_ format: SniffResult) -> Bool {
        format.mediaType == "application/zip"
    }

    private static func refused(_ message: String, _ status: OverlayStatus) -> OverlayError {
        OverlayError(
            status, message,
            hint: status == .damaged
                ? "Get a new copy of the book." : "Marvin accepts only EPUBs. Convert the book first.")
    }

    /// A format's name with its article, such as "a PDF document".
    private static func phrase(_ name: String) -> String {
        let word = name.prefix { $0 != " " }
        // Letters whose names begin with a vowel sound, as in "an MP3".
        let isSpelled =
            word.count > 1 && word.allSatisfy { $0.isUppercase || $0.isNumber }
            && !word.dropFirst().contains { "AEIOU".contains($0) }
        let vowels = isSpelled ? "AEFHILMNORSX" : "AEIOUaeiou"
        return (name.first.map { vowels.contains($0) } ?? false ? "an " : "a ") + name
    }
}
