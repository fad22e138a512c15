import Archives
import FoundationEssentials
import OverlayKit

/// The parts of an EPUB on the host that become files in a folder on the device.
///
/// Names and sizes come from an archive that anyone may have made, so each is checked before the first part is sent.
/// Use on the device thread, while the file is lent.
struct BookParts {
    /// The largest part in bytes; a part is in memory while it is sent.
    private static let largest: Int64 = 256 << 20

    /// A part of the EPUB.
    struct Part {
        /// The path relative to the book's folder.
        let path: SafePath
        /// The unpacked size in bytes.
        let size: UInt64
        fileprivate let entry: ZipEntry
    }

    /// The parts in the order of the archive.
    let all: [Part]
    private let archive: ZipArchive

    /// Opens an EPUB and checks the names and sizes of its parts.
    ///
    /// - Parameter size: the size of the file in bytes.
    /// - Throws: `damaged` if the archive cannot be opened or must not be unpacked, and errors of the transport.
    init(_ host: HostServices, _ file: HostFile, size: UInt64) throws(OverlayError) {
        let source = LentFileSource(transport: host.transport, file: file, size: size)
        var limits = ZipLimits()
        limits.wholeEntry = Self.largest
        do throws(ArchiveError) {
            archive = try ZipArchive.open(source: source, limits: limits)
        } catch {
            throw Self.failure(error)
        }
        if let refused = archive.refusedEntries.first { throw Self.notUnpackable(refused.path) }
        guard archive.entries.count <= FolderTree.mostFiles else {
            throw OverlayError(.damaged, "The EPUB has more than \(FolderTree.mostFiles) parts.")
        }
        var parts: [Part] = []
        // Compared as the device may do it: names that differ only in Unicode composition are the same file.
        var (files, folders): (Set<String>, Set<String>) = ([], [])
        for entry in archive.entries {
            let name = entry.path
            guard let path = SafePath(name), path.text == name, !name.contains("\\"),
                name.utf8.count(where: { $0 == UInt8(ascii: "/") }) <= FolderTree.deepest,
                files.insert(name).inserted
            else { throw Self.notUnpackable(name) }
            guard let size = UInt64(exactly: entry.length), entry.length <= Self.largest else {
                throw OverlayError(
                    .damaged, "A part of the EPUB has more than \(Self.largest >> 20) MiB.", subject: name)
            }
            var folder = path.folder
            while let parent = folder, folders.insert(parent.text).inserted { folder = parent.folder }
            parts.append(Part(path: path, size: size, entry: entry))
        }
        if let name = files.intersection(folders).min() { throw Self.notUnpackable(name) }
        guard !parts.isEmpty else { throw OverlayError(.damaged, "The EPUB is empty.") }
        all = parts
    }

    /// The total size of all parts in bytes.
    var size: UInt64 { all.reduce(0) { $0 + $1.size } }

    /// The folders of the parts, relative to the book's folder.
    var folders: [String] { Set(all.compactMap { $0.path.folder?.text }).sorted() }

    /// The content of a part; verified by its checksum.
    func content(_ part: Part) throws(OverlayError) -> Data {
        do throws(ArchiveError) { return try archive.read(part.entry) } catch { throw Self.failure(error) }
    }

    /// Whether a folder contains exactly these parts, judged by their names and sizes.
    func areAll(in tree: FolderTree) -> Bool {
        tree.strange.isEmpty && tree.files.count == all.count
            && all.allSatisfy { tree.file($0.path.text)?.size == $0.size }
    }

    /// Whether a folder on the device contains a book with the same content. The content is read only if names and
    /// sizes match.
    ///
    /// Files that do not belong to the content, such as those that the store adds, do not count.
    func isContent(ofFolder folder: String, _ host: HostServices) throws(OverlayError) -> Bool {
        let tree = try FolderTree(host, folder)
        let parts = all.filter { FolderTree.isContent($0.path) }
        guard tree.files.count(where: { FolderTree.isContent($0.path) }) == parts.count,
            parts.allSatisfy({ tree.file($0.path.text)?.size == $0.size })
        else { return false }
        for part in parts {
            guard let file = tree.file(part.path.text) else { return false }
            try host.cancellation.check()
            let content = try content(part)
            let theirs = try host.transport.readAll(
                .media, folder + "/" + file.path.text, limit: Int(Self.largest))
            guard content.elementsEqual(theirs) else { return false }
        }
        return true
    }

    private static func notUnpackable(_ name: String) -> OverlayError {
        OverlayError(
            .damaged, "A part of the EPUB cannot be unpacked because of its name.", subject: name,
            hint: "Get a new copy of the book, or convert it with another program.")
    }

    /// The error of the transport, or else that the archive is damaged.
    private static func failure(_ error: ArchiveError) -> OverlayError {
        if let cause = (error.underlying as? ByteSourceError)?.underlying as? OverlayError { return cause }
        return OverlayError(
            .damaged, "Cannot unpack the EPUB: \(error.message)", subject: error.subject,
            hint: error.hint ?? "Get a new copy of the book.")
    }
}

/// A file that the host lends, as the source of an archive.
///
/// `@unchecked Sendable`: only the device thread, to which the transport belongs, opens and reads the archive.
private struct LentFileSource: ByteSource, @unchecked Sendable {
    let transport: TransportService
    let file: HostFile
    let size: UInt64

    var length: Int64 { Int64(clamping: size) }

    func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        let start = min(UInt64(max(0, offset)), size)
        let length = min(UInt64(max(0, count)), size - start)
        var data = Data()
        guard length > 0 else { return data }
        do throws(OverlayError) {
            try transport.localRead(file, offset: start, length: length) { chunk, _, _ in
                data.append(contentsOf: chunk)
            }
        } catch {
            throw ByteSourceError(.other, error.message, subject: error.subject, underlying: error)
        }
        guard UInt64(data.count) <= length else {
            throw ByteSourceError(.other, "More bytes arrived than were requested.")
        }
        return data
    }

    func close() {}
}
