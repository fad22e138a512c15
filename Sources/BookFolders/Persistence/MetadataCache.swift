import OverlayKit
import Platform

/// What is known about the files of one app on one device. It is kept on the host, so that each file is read only once.
///
/// A damaged cache is read up to the damage, and one with another format counts as empty; both are replaced. Covers are
/// separate files.
public final class MetadataCache {
    private static let coverPrefix = "cover-"
    /// The largest cover in bytes that is kept regardless of the number of covers.
    private static let smallCover: UInt64 = 1 << 20
    /// The largest cover that is kept, in bytes; it is also the largest that a host accepts.
    private static let largestCover: UInt64 = 32 << 20

    private let kept: StorageService?
    private let log: LogService
    /// The entries by path text, because the device may list a sent file with its name in another Unicode form.
    private var table = NameTable<Boxed<CachedFile>>()
    /// The paths by content. Created on first use, because an upload does not need it.
    private var byFingerprint: [ContentFingerprint: [ShelfPath]]?
    /// Earlier entries that replace newer ones: see `hold`.
    private var held: [ShelfPath: CachedFile] = [:]
    /// The stored documents; nil without storage.
    var parts: MetadataParts?
    /// The most bytes of all large covers together: half of what a host stores for an app on a device.
    var mostLargeCovers: UInt64 = 512 << 20
    /// The bytes of the large covers of all known files.
    private var largeCovers: UInt64 = 0

    /// Loads the cache. Without storage it exists only as long as this object.
    public convenience init(_ kept: StorageService?, log: LogService) { self.init(kept, log: log, nil) }

    /// Loads the cache, with the documents that were parsed before.
    init(_ kept: StorageService?, log: LogService, _ early: EarlyRecords?) {
        self.kept = kept
        self.log = log
        var parts = kept.map { MetadataParts($0, log: log) }
        parts?.load(early) { self.insert($0) }
        self.parts = parts
    }

    /// All files.
    private var files: some Sequence<CachedFile> { table.values.lazy.compactMap { $0.wrappedValue } }

    private func cached(at path: String) -> CachedFile? { table[path]?.wrappedValue }

    /// What is known about a file in its present state; nil if it has changed or is unknown.
    public func entry(of file: FoundFile) -> CachedFile? {
        guard let cached = self.cached(at: file.path.text), cached.isOf(file) else { return nil }
        return cached
    }

    /// What was known about a file before it changed; nil if it has not changed or was unknown.
    func former(of file: FoundFile) -> CachedFile? {
        guard let cached = self.cached(at: file.path.text), !cached.isOf(file) else { return nil }
        return cached
    }

    /// What is known about a file with the same content, size and time under another path, because it was moved or
    /// copied.
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

    /// The sizes and times of all known files. If a file's size and time are not among them, it does not have a twin.
    var stamps: Set<FileStamp> { Set(files.map { FileStamp(size: $0.size, modified: $0.modified) }) }

    /// The metadata from a file with this content, if one was read.
    func book(_ fingerprint: ContentFingerprint) -> Book? {
        for path in paths(of: fingerprint) {
            if case .book(let kept)? = cached(at: path.text)?.readState { return kept.book }
        }
        return nil
    }

    /// Stores what is known about a file.
    public func set(_ file: CachedFile) {
        var file = file
        if file.rewrittenID == nil, let former = table.exact(file.path.text)?.wrappedValue {
            file.follow(former)
        }
        guard table.exact(file.path.text)?.wrappedValue != file else { return }
        drop(file.path)
        insert(file)
        parts?.change(file.path)
    }

    /// Keeps the entry of a file's earlier version even when the present version becomes known, because a later
    /// listing may copy its notes.
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
        parts?.change(old.path)
        largeCovers -= Self.largeCover(of: old)
        guard let fingerprint = old.fingerprint else { return }
        byFingerprint?[fingerprint]?.removeAll { $0 == path }
        if byFingerprint?[fingerprint]?.isEmpty == true { byFingerprint?[fingerprint] = nil }
    }

    /// Moves the entry of a file to its new path.
    public func move(_ path: ShelfPath, to newPath: ShelfPath) {
        guard var file = cached(at: path.text) else { return }
        remove(path)
        file.path = newPath
        set(file)
    }

    /// Forgets every file that no longer exists.
    public func keepOnly(_ present: [FoundFile]) {
        let known = Set(present.compactMap { table[$0.path.text]?.wrappedValue?.path })
        let paths = table.values.compactMap { $0.wrappedValue?.path }
        for path in paths where !known.contains(path) { remove(path) }
    }

    /// The paths of files with this content.
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

    /// Writes the cache if it changed, and removes covers of missing files. A failure is only logged, because the
    /// cache can always be recreated.
    public func save() {
        guard let kept, parts?.isChanged == true else { return }
        var known = files.map(\.path)
        if !held.isEmpty { known = known.filter { held[$0] == nil } + held.keys }
        let isSaved = parts?.save(known) { held[$0] ?? table.exact($0.text)?.wrappedValue }
        guard isSaved == true else { return }
        do throws(OverlayError) {
            for key in try kept.keys(.cache) {
                if parts?.isUnneeded(key) == true {
                    try kept.remove(.cache, key)
                } else if key.hasPrefix(Self.coverPrefix) {
                    let fingerprint = ContentFingerprint(String(key.dropFirst(Self.coverPrefix.count)))
                    if fingerprint.map({ paths(of: $0).isEmpty }) ?? true { try kept.remove(.cache, key) }
                }
            }
        } catch {
            log.notice("books", "Cannot remove unused parts of the cache: \(error.message)")
        }
    }

    // MARK: - Covers

    /// The stored cover for a content; nil if there is none.
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

    /// The size of a file's large cover in bytes; 0 if the cover is small or missing.
    private static func largeCover(of file: CachedFile) -> UInt64 {
        guard case .book(let kept) = file.readState, let size = kept.coverSize, size > smallCover else {
            return 0
        }
        return min(size, largestCover)
    }

    /// Stores a cover; call after storing what is known about its file. A large cover is stored only as long as all
    /// large ones together stay within their limit.
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

    /// Removes the cache and all covers from the host, for people who do not want them.
    public static func clear(_ kept: StorageService) throws(OverlayError) {
        do throws(OverlayError) {
            for key in try kept.keys(.cache) where MetadataParts.isKey(key) || key.hasPrefix(coverPrefix) {
                try kept.remove(.cache, key)
            }
        } catch {
            // A host of an older version does not have storage.
            guard error.status == .notSupported else { throw error }
        }
    }
}

/// The properties that a file shares with a copy of it, in addition to its content.
struct FileStamp: Hashable {
    /// The size in bytes.
    var size: UInt64
    /// When its content changed, in nanoseconds since 1970.
    var modified: Int64
}
