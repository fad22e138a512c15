import JSON
import OverlayKit
import Platform

/// What is known about the files of one app on one device, kept on the host, so that a file is looked into once.
///
/// A damaged cache is read up to the damage. A file of another format counts as empty. Both are replaced. The covers are
/// files beside it.
public final class MetadataCache {
    private static let key = "books.json"
    private static let version = 2
    private static let coverPrefix = "cover-"
    /// Bytes of a cover that is kept however many there are.
    private static let smallCover: UInt64 = 1 << 20
    /// Bytes of the largest cover that is kept, which is the largest that a host takes.
    private static let largestCover: UInt64 = 32 << 20

    private let kept: StorageService?
    private let log: LogService
    /// By the text of each path: the device may list a file that was sent under a name that is composed in another way.
    private var table = NameTable<Boxed<CachedFile>>()
    /// Made when it is first asked for; an upload does without.
    private var byFingerprint: [ContentFingerprint: [ShelfPath]]?
    /// What is kept about files instead of what they are now: see `hold`.
    private var held: [ShelfPath: CachedFile] = [:]
    private var isChanged = false
    /// Bytes that all covers that are not small may have together: half of what a host keeps for an app on a device.
    var mostLargeCovers: UInt64 = 512 << 20
    /// Bytes of the covers that are not small, of all files that are known.
    private var largeCovers: UInt64 = 0

    /// Loads the cache; with nil it lives only as long as this object.
    public init(_ kept: StorageService?, log: LogService) {
        self.kept = kept
        self.log = log
        guard let kept else { return }
        do throws(JSONSyntaxError) {
            guard let document = Self.listing(kept, log).loadDocument() else { return }
            _ = try JSONValue.parsing(document, list: nil) { entry in
                if let file = CachedFile(entry) { self.insert(file) } else { self.isChanged = true }
            }
        } catch {
            log.debug("books", "Cannot read the cached metadata: \(error)")
            isChanged = true
        }
    }

    private static func listing(_ kept: StorageService, _ log: LogService) -> ListingCache {
        ListingCache(kept, log, key: key, version: version, category: "books")
    }

    /// All files.
    private var files: some Sequence<CachedFile> { table.values.lazy.compactMap(\.wrappedValue) }

    private func cached(at path: String) -> CachedFile? { table[path]?.wrappedValue }

    /// What is known about a file as it is now; nil if it is not the file that was looked at.
    public func entry(of file: FoundFile) -> CachedFile? {
        guard let cached = self.cached(at: file.path.text), cached.isOf(file) else { return nil }
        return cached
    }

    /// What was known about a file before it became what it is now; nil if it is what it was, or was not known.
    func former(of file: FoundFile) -> CachedFile? {
        guard let cached = self.cached(at: file.path.text), !cached.isOf(file) else { return nil }
        return cached
    }

    /// What is known about a file of the same content, size and time under another path: one that was moved or copied.
    public func twin(of file: FoundFile, _ fingerprint: ContentFingerprint) -> CachedFile? {
        for path in paths(of: fingerprint) {
            guard let cached = self.cached(at: path.text), cached.isOf(file), cached.readState != .unread
            else {
                continue
            }
            return cached
        }
        return nil
    }

    /// What is known about all files.
    var entries: some Sequence<CachedFile> { files }

    /// Sizes and times of all files that are known: what a file without a twin does not have in common with any.
    var stamps: Set<FileStamp> { Set(files.map { FileStamp(size: $0.size, modified: $0.modified) }) }

    /// The metadata in files with that content, if one was read.
    func book(_ fingerprint: ContentFingerprint) -> Book? {
        for path in paths(of: fingerprint) {
            if case .book(let kept)? = cached(at: path.text)?.readState { return kept.book }
        }
        return nil
    }

    /// Keeps what is known about a file.
    public func set(_ file: CachedFile) {
        guard table.exact(file.path.text)?.wrappedValue != file else { return }
        drop(file.path)
        insert(file)
        isChanged = true
    }

    /// Keeps what is known about an earlier version of a file, also when the present version becomes known: a later look may carry
    /// over notes about the earlier one.
    func hold(_ path: ShelfPath) {
        guard let file = cached(at: path.text) else { return }
        held[file.path] = file
    }

    /// Forgets a file, such as one that is being replaced.
    public func remove(_ path: ShelfPath) {
        let known = cached(at: path.text)?.path ?? path
        held[known] = nil
        drop(known)
    }

    private func drop(_ path: ShelfPath) {
        guard let old = table.exact(path.text)?.wrappedValue else { return }
        table[path.text] = nil
        isChanged = true
        largeCovers -= Self.largeCover(of: old)
        guard let fingerprint = old.fingerprint else { return }
        byFingerprint?[fingerprint]?.removeAll { $0 == path }
        if byFingerprint?[fingerprint]?.isEmpty == true { byFingerprint?[fingerprint] = nil }
    }

    /// Follows a file to its new path.
    public func move(_ path: ShelfPath, to newPath: ShelfPath) {
        guard var file = cached(at: path.text) else { return }
        remove(path)
        file.path = newPath
        set(file)
    }

    /// Forgets every file that is not there any more.
    public func keepOnly(_ present: [FoundFile]) {
        let known = Set(present.compactMap { cached(at: $0.path.text)?.path })
        for file in files where !known.contains(file.path) { remove(file.path) }
    }

    /// The paths of files with that content.
    func paths(of fingerprint: ContentFingerprint) -> [ShelfPath] {
        let known = byFingerprint ?? pathsByFingerprint()
        byFingerprint = known
        return known[fingerprint] ?? []
    }

    private func pathsByFingerprint() -> [ContentFingerprint: [ShelfPath]] {
        files.reduce(into: [:]) { paths, file in
            if let fingerprint = file.fingerprint { paths[fingerprint, default: []].append(file.path) }
        }
    }

    private func insert(_ file: CachedFile) {
        if let old = table.exact(file.path.text)?.wrappedValue { largeCovers -= Self.largeCover(of: old) }
        table[file.path.text] = Boxed(wrappedValue: file)
        largeCovers += Self.largeCover(of: file)
        if let fingerprint = file.fingerprint { byFingerprint?[fingerprint, default: []].append(file.path) }
    }

    /// Writes the cache if anything changed, and removes covers of files that are gone. A failure is logged only: the
    /// cache can always be made again.
    public func save() {
        guard isChanged, let kept else { return }
        guard Self.listing(kept, log).saveDocument(document()) else { return }
        isChanged = false
        do throws(OverlayError) {
            for key in try kept.keys(.cache) where key.hasPrefix(Self.coverPrefix) {
                let fingerprint = ContentFingerprint(String(key.dropFirst(Self.coverPrefix.count)))
                if fingerprint.map({ paths(of: $0).isEmpty }) ?? true { try kept.remove(.cache, key) }
            }
        } catch {
            log.notice("books", "Cannot remove an unused cached cover: \(error.message)")
        }
    }

    /// The files in the order of their paths as a JSON array, whose elements are made one after the other.
    private func document() -> [UInt8] {
        var paths = files.map(\.path)
        if !held.isEmpty { paths = paths.filter { held[$0] == nil } + held.keys }
        paths.sort { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        var document = Array("[".utf8)
        for (index, path) in paths.enumerated() {
            guard let file = held[path] ?? table.exact(path.text)?.wrappedValue else { continue }
            if index > 0 { document += ", ".utf8 }
            document += file.json.text().utf8
            // What grows by doubling is in memory twice for a moment.
            if index == 0 { document.reserveCapacity(document.count * (paths.count + 1) * 5 / 4) }
        }
        document += "]".utf8
        return document
    }

    // MARK: - Covers

    /// The kept cover of a content; nil if there is none.
    public func cover(_ fingerprint: ContentFingerprint) -> [UInt8]? {
        guard let kept else { return nil }
        do throws(OverlayError) {
            return try kept.read(.cache, Self.coverPrefix + fingerprint.text)
        } catch {
            if error.status != .notSupported {
                log.notice("books", "Cannot read a cached cover: \(error.message)")
            }
            return nil
        }
    }

    /// The cover of a file that is not small, in bytes; 0 if it is, or there is none.
    private static func largeCover(of file: CachedFile) -> UInt64 {
        guard case .book(let kept) = file.readState, let size = kept.book.coverSize, size > smallCover else {
            return 0
        }
        return min(size, largestCover)
    }

    /// Keeps a cover, after what is known about its file; a large one only as long as all large ones together leave room for
    /// others.
    public func setCover(_ bytes: [UInt8], _ fingerprint: ContentFingerprint) {
        guard let kept, bytes.count <= Self.largestCover else { return }
        guard bytes.count <= Self.smallCover || largeCovers <= mostLargeCovers else {
            return log.info("books", "A large cover was not cached because there are many of them.")
        }
        do throws(OverlayError) {
            try kept.write(.cache, Self.coverPrefix + fingerprint.text, bytes)
        } catch {
            if error.status != .notSupported {
                log.notice("books", "Cannot cache a cover: \(error.message)")
            }
        }
    }

    /// Removes the cache and all covers from the host, for a person who does not want them.
    public static func clear(_ kept: StorageService) throws(OverlayError) {
        do throws(OverlayError) {
            for key in try kept.keys(.cache) where key == Self.key || key.hasPrefix(coverPrefix) {
                try kept.remove(.cache, key)
            }
        } catch {
            // A host of an older version keeps nothing.
            guard error.status == .notSupported else { throw error }
        }
    }
}

/// What a file has in common with a copy of it, beside its content.
struct FileStamp: Hashable {
    /// Bytes.
    var size: UInt64
    /// When its content changed, in nanoseconds since 1970.
    var modified: Int64
}
