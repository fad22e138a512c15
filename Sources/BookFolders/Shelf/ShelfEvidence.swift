import OverlayKit
import Platform
import UploadPlanning

/// Finds the files of a shelf that an item of an upload may be. Use on the device thread.
final class ShelfEvidence: UploadEvidence {
    /// The measured values of an item.
    struct Item {
        var file: HostFile
        /// The host's id for its content.
        var contentID: String?
        /// The size of the file in bytes.
        var size: UInt64
        var fingerprint: ContentFingerprint
        /// Its path without a number; nil if that would be too long.
        var path: ShelfPath?
        /// Whether the user requested its folder.
        var isFolderAsked: Bool
    }

    private let scan: ShelfScan
    private let digests: ContentDigests
    private var items: [Int: Item] = [:]
    /// All files; the tables contain indexes into this list.
    private let files: [FoundFile]
    private var byContent = HashIndex()
    /// Files that cannot be read, by size; only sizes of items.
    private var unread: [UInt64: [Int]] = [:]
    /// Contents that the app has created from the contents of items, by the contents of the items.
    private let laterStates: [ContentFingerprint: [ContentFingerprint]]
    private var byUUID = HashIndex()
    /// Files by name in any folder, with and without the number at the end.
    private var byName = HashIndex()

    /// - Parameter measured: the sizes and fingerprints of all items; only files with these sizes can have the
    ///   content of an item.
    init(
        _ scan: ShelfScan, _ digests: ContentDigests, measured: [(size: UInt64, content: ContentFingerprint)]
    ) throws(OverlayError) {
        (self.scan, self.digests, files) = (scan, digests, scan.contents.files)
        let states = scan.notes.laterStates()
        laterStates = states
        var sizes = Set(measured.map(\.size))
        for item in measured { sizes.formUnion((states[item.content] ?? []).compactMap(\.size)) }
        var alike: [Int] = []
        for (place, file) in files.enumerated() {
            if !file.isPackage, sizes.contains(file.size) { alike.append(place) }
            for key in Self.names(of: file.path) { byName.insert(HashIndex.hash(key), at: place) }
            if let uuid = scan.known(file).uuid {
                byUUID.insert(HashIndex.hash(uuid.lowercased()), at: place)
            }
        }
        _ = try scan.fingerprints(
            of: alike.lazy.map { [files] in files[$0] }.filter { content(of: $0) == nil })
        for place in alike {
            if let content = content(of: files[place]) {
                byContent.insert(HashIndex.hash(content), at: place)
            } else {
                unread[files[place].size, default: []].append(place)
            }
        }
    }

    /// The known fingerprint of a file.
    private func content(of file: FoundFile) -> ContentFingerprint? {
        scan.cache.entry(of: file)?.fingerprint
    }

    /// The files with this content.
    private func files(with content: ContentFingerprint) -> [FoundFile] {
        byContent.positions(of: HashIndex.hash(content)).map { files[$0] }.filter {
            self.content(of: $0) == content
        }
    }

    /// Sets the measured values of an item. Call before the decision about the item.
    func take(_ item: Item, _ index: Int) { items[index] = item }

    func book(atPath path: String) -> PresentBook<ShelfPath>? {
        ShelfPath(path).flatMap { scan.file(at: $0) }.map(present)
    }

    func books(withUUID uuid: String) -> [PresentBook<ShelfPath>] {
        byUUID.positions(of: HashIndex.hash(uuid)).map { files[$0] }.filter {
            scan.known($0).uuid?.lowercased() == uuid
        }.map(
            present)
    }

    /// Of several files, one in the requested folder is preferred.
    func book(
        withContentOf book: IncomingBook, besides claimed: Set<ShelfPath>
    ) throws(OverlayError) -> PresentBook<ShelfPath>? {
        guard let item = items[book.index] else { return nil }
        try readAgain(item.size)
        let files = files(with: item.fingerprint)
        let asked = files.filter { item.isFolderAsked && $0.path.folder == item.path?.folder }
        for file in asked + files where !claimed.contains(file.path) {
            if try digests.isSame(item.file, size: item.size, contentID: item.contentID, as: file) {
                return present(file)
            }
        }
        return nil
    }

    func changedState(
        of book: IncomingBook, besides claimed: Set<ShelfPath>
    ) throws(OverlayError) -> PresentBook<ShelfPath>? {
        guard let item = items[book.index] else { return nil }
        for state in laterStates[item.fingerprint] ?? [] {
            if let size = state.size { try readAgain(size) }
            let file = files(with: state).first { !claimed.contains($0.path) }
            if let file { return present(file) }
        }
        return nil
    }

    /// The files with the name that a book would get, in any folder and with any number, unless their title or
    /// authors differ.
    func books(namedAs book: IncomingBook) throws(OverlayError) -> [NamedBook<ShelfPath>] {
        guard let path = items[book.index]?.path else { return [] }
        let name = BookName.key(path.name)
        let files = byName.positions(of: HashIndex.hash(name)).map { self.files[$0] }.filter {
            Self.names(of: $0.path).contains(name)
        }
        guard !files.isEmpty else { return [] }
        _ = try scan.readMetadata(of: files)
        var named: [(file: FoundFile, similarity: BookSimilarity)] = []
        for file in files {
            guard scan.isFilled(file) else {
                // The title of a file that cannot be read is unknown.
                if let error = scan.failures[file.path], error.status != .notFound { throw error }
                continue
            }
            let similarity = BookSimilarity(title: book.title ?? "", authors: book.authors, scan.known(file))
            if similarity != .none { named.append((file, similarity)) }
        }
        let key = BookName.key(path.text)
        let editions = named.filter { $0.similarity == .same && $0.file.path.folder == path.folder }
        return named.map { file, similarity in
            let isHolder = BookName.key(file.path.text) == key
            let isOnlyOne = similarity == .same && editions.count == 1 && editions[0].file.path == file.path
            return NamedBook(present(file), similarity, isNear: isHolder || isOnlyOne)
        }.sorted { $0.isNear && !$1.isNear }
    }

    /// Earlier comparisons have determined which of the similar files has the same bytes.
    func hasContent(
        _ present: PresentBook<ShelfPath>, of book: IncomingBook
    ) throws(OverlayError) -> Bool? { false }

    /// Marks are known for files that this host has sent. For other files, it is not known what the app has written
    /// into them.
    func marks(
        in present: PresentBook<ShelfPath>, replacedBy book: IncomingBook
    ) throws(OverlayError) -> ReadingMarks? {
        guard let file = scan.file(at: present.key) else { return nil }
        let content = try scan.fingerprint(of: file)
        if scan.notes.isLaterState(content) { return ReadingMarks(isFileChanged: true) }
        return scan.notes.known(content).map { _ in ReadingMarks() }
    }

    private func present(_ file: FoundFile) -> PresentBook<ShelfPath> {
        let book = scan.known(file)
        return PresentBook(
            file.path, path: file.path.text, title: book.title ?? file.path.stem, authors: book.authors ?? [],
            format: file.path.fileExtension)
    }

    /// Reads the files of a size again that could not be read before.
    private func readAgain(_ size: UInt64) throws(OverlayError) {
        while let place = unread[size]?.last {
            do throws(OverlayError) {
                byContent.insert(HashIndex.hash(try scan.fingerprint(of: files[place])), at: place)
            } catch {
                guard error.status == .notFound else { throw error }
            }
            unread[size]?.removeLast()
        }
    }

    /// The keys of a file's name, with and without the number that makes it unique.
    private static func names(of path: ShelfPath) -> Set<NameKey> {
        var keys: Set<NameKey> = [BookName.key(path.name)]
        let stem = path.stem
        guard stem.hasSuffix(")"), let start = stem.lastIndex(of: "("),
            let number = Int(stem[stem.index(after: start)...].dropLast()), number > 1,
            stem[..<start].hasSuffix(" ")
        else { return keys }
        let plain = stem[..<start].dropLast() + "." + path.writtenExtension
        if !plain.hasPrefix(".") { keys.insert(BookName.key(String(plain))) }
        return keys
    }
}
