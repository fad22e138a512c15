import Archives
import FoundationEssentials

extension BuiltInSniffer {
    /// An archive with a container document, or whose `mimetype` says so (format reference 6.5).
    static let epub = BuiltInSniffer("epub", .epub, extensions: ["epub"], mediaTypes: [.epub]) { context in
        guard let archive = context.contentAsZip else { return nil }
        if archive.rootEntry("META-INF/container.xml") != nil {
            return "META-INF/container.xml in the archive"
        }
        return saysEpub(archive) ? "mimetype in the archive" : nil
    }

    /// Whether the entry `mimetype` names EPUB, wherever it stands and however it is compressed.
    private static func saysEpub(_ archive: ZipArchive) -> Bool {
        guard let entry = archive.rootEntry("mimetype") else { return false }
        let content: Data
        do throws(ArchiveError) {
            content = try archive.read(entry, range: 0..<Int64(SniffLimits.mimetype))
        } catch {
            return false
        }
        var bytes = [UInt8](content)[...]
        while let first = bytes.first, HTTPToken.isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, HTTPToken.isBlank(last) { bytes.removeLast() }
        return bytes.elementsEqual("application/epub+zip".utf8)
    }
}
