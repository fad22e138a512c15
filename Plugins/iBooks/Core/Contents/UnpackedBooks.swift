import Archives
import BookFolders
import OverlayKit

/// Finds out what unpacked books say about themselves.
///
/// The host reads metadata from files, not folders. So the two or three relevant documents are read from the device,
/// for many books at once, and given to the host as a small EPUB in memory.
struct UnpackedBooks {
    /// The number of books that are inspected together; limits memory use.
    static let batch = 32
    private static let containerPath = "META-INF/container.xml"

    let host: HostServices

    /// A book during its inspection.
    private struct Candidate {
        let item: BooksLibrary.Item
        let tree: FolderTree
        var inspection: BookInspection
        var container: [UInt8] = []
        var packagePath: SafePath?

        /// The state of the package document before it is read.
        var package: BookInspection.Package? {
            packagePath.flatMap { path in
                tree.file(path.text).map { .init(path: path, size: $0.size, modified: $0.modifiedExactly) }
            }
        }
    }

    /// The inspection of each book, in order; nil if its folder is missing or cannot be read.
    func inspections(_ items: [(item: BooksLibrary.Item, stamp: [Int64])]) throws(OverlayError)
        -> [BookInspection?]
    {
        var results = [BookInspection?](repeating: nil, count: items.count)
        var candidates: [(place: Int, candidate: Candidate)] = []
        for (place, entry) in items.enumerated() {
            do throws(OverlayError) {
                let tree = try FolderTree(host, entry.item.devicePath)
                if !tree.strange.isEmpty {
                    host.log.notice(
                        "ibooks", "A book contains items that are not files. They were skipped.",
                        ["book": entry.item.path.text, "first": tree.strange[0]])
                }
                candidates.append(
                    (place, candidate(entry.item, tree, BookInspection(stamp: entry.stamp, size: tree.size))))
            } catch {
                if error.endsTheCall { throw error }
                host.log.notice(
                    "ibooks", "Cannot examine a book: \(error.message)",
                    ["book": entry.item.path.text])
            }
        }
        try describe(&candidates)
        for (place, candidate) in candidates { results[place] = candidate.inspection }
        return results
    }

    private func candidate(_ item: BooksLibrary.Item, _ tree: FolderTree, _ inspection: BookInspection)
        -> Candidate
    {
        var candidate = Candidate(item: item, tree: tree, inspection: inspection)
        candidate.inspection.isProtected = item.entry?.isProtected ?? (tree.file("META-INF/sinf.xml") != nil)
        for path in [item.entry?.coverPath?.text, "iTunesArtwork"].compactMap({ $0 }) {
            guard let file = tree.file(path), file.size > 0 else { continue }
            candidate.inspection.coverPath = item.devicePath + "/" + file.path.text
            candidate.inspection.book.coverSize = file.size
            break
        }
        return candidate
    }

    /// Reads one document of each book; nil for a book without it.
    private func documents(
        _ candidates: inout [(place: Int, candidate: Candidate)], _ path: (Candidate) -> String?
    ) throws(OverlayError) -> [[UInt8]?] {
        var documents = [[UInt8]?](repeating: nil, count: candidates.count)
        var wanted: [Int] = []
        var requests: [ReadRequest] = []
        for (index, entry) in candidates.enumerated() {
            guard let path = path(entry.candidate), let file = entry.candidate.tree.file(path),
                file.size > 0, file.size <= UInt64(UnpackedEPUBReader.largest)
            else { continue }
            wanted.append(index)
            requests.append(
                ReadRequest(entry.candidate.item.devicePath + "/" + file.path.text, length: file.size))
        }
        guard !requests.isEmpty else { return documents }
        for (index, result) in zip(wanted, try host.transport.readMany(.media, requests)) {
            switch result {
            case .success(let bytes): documents[index] = bytes
            case .failure(let error):
                if error.endsTheCall { throw error }
                candidates[index].candidate.inspection.isFinal = false
                host.log.notice(
                    "ibooks", "Cannot read a part of a book: \(error.message)",
                    ["book": candidates[index].candidate.item.path.text])
            }
        }
        return documents
    }

    private func describe(_ candidates: inout [(place: Int, candidate: Candidate)]) throws(OverlayError) {
        let encryption = try documents(&candidates) { candidate in
            candidate.inspection.isProtected ? nil : "META-INF/encryption.xml"
        }
        let containers = try documents(&candidates) { _ in Self.containerPath }
        for index in candidates.indices {
            if let document = encryption[index], UnpackedEPUBReader.isProtected(encryption: document) {
                candidates[index].candidate.inspection.isProtected = true
            }
            candidates[index].candidate.container = containers[index] ?? []
            candidates[index].candidate.packagePath =
                containers[index].flatMap { UnpackedEPUBReader.packagePath(container: $0) }
                ?? candidates[index].candidate.tree.files.first { $0.path.fileExtension == "opf" }?.path
            candidates[index].candidate.inspection.package = candidates[index].candidate.package
        }
        let packages = try documents(&candidates) { $0.packagePath?.text }
        var sources: [ContentSource] = []
        var described: [Int] = []
        for index in candidates.indices {
            guard let package = packages[index], let path = candidates[index].candidate.packagePath else {
                continue
            }
            let candidate = candidates[index].candidate
            if candidate.inspection.coverPath == nil,
                let cover = UnpackedEPUBReader.coverPath(package: package, at: path),
                let file = candidate.tree.file(cover.text), file.size > 0
            {
                candidates[index].candidate.inspection.coverPath =
                    candidate.item.devicePath + "/" + file.path.text
                candidates[index].candidate.inspection.book.coverSize = file.size
            }
            guard let archive = Self.archive(candidate.container, package, at: path) else { continue }
            sources.append(.bytes(archive, name: candidate.item.path.stem + ".epub"))
            described.append(index)
        }
        guard !sources.isEmpty else { return }
        for (index, result) in zip(described, try host.metadata.read(sources)) {
            switch result {
            case .success(let metadata):
                var book = metadata.book
                (book.coverMediaType, book.coverData) = (nil, nil)
                book.coverSize = candidates[index].candidate.inspection.book.coverSize
                candidates[index].candidate.inspection.book = book
            case .failure(let error):
                if error.endsTheCall { throw error }
                if !BookInspections.isFinal(error) { candidates[index].candidate.inspection.isFinal = false }
                host.log.notice(
                    "ibooks", "Cannot read a book's metadata: \(error.message)",
                    ["book": candidates[index].candidate.item.path.text])
            }
        }
    }

    /// A small EPUB of the documents that describe a book; nil if they have invalid names.
    private static func archive(_ container: [UInt8], _ package: [UInt8], at path: SafePath) -> [UInt8]? {
        let writer = ZipWriter()
        do throws(ArchiveError) {
            var archive = try writer.add("mimetype", Array(BookFormat.epub.mediaType.utf8), .stored)
            if !container.isEmpty { archive += try writer.add(containerPath, container, .stored) }
            archive += try writer.add(path.text, package, .stored)
            return archive + (try writer.finish())
        } catch {
            return nil
        }
    }
}
