import FoundationEssentials
import Glibc
import Synchronization

/// A bounded store of contents on disk, which survives crashes and is shared by fetchers, threads and processes (fetcher
/// reference, section 14).
///
/// All members may be called from any thread; they read and write files.
public final class CacheStore: Sendable {
    /// The folder that holds everything.
    public let directory: String
    /// The most that all entries may take of the disk, in bytes of allocated blocks.
    public let maxBytes: Int64
    /// The largest content that is kept, in bytes.
    public let maxEntryBytes: Int64
    /// Whether complete contents are checked against their SHA-256 at the first use in this process.
    public let verifiesContents: Bool

    let clock: @Sendable () -> Date
    let files: CacheFileSystem
    let flights = CacheFlights()
    private let verified = Mutex<Set<String>>([])
    private let counter = Mutex<UInt64>(0)

    /// Opens a store and removes what crashes left behind.
    ///
    /// - `directory`: made if it is not there, for the owner alone; its parent has to be there.
    /// - `clock`: the time of day, by which contents age.
    public convenience init(
        directory: URL, maxBytes: Int64, maxEntryBytes: Int64? = nil, verifiesContents: Bool = true,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) throws(CacheError) {
        try self.init(
            path: directory.path, maxBytes: maxBytes, maxEntryBytes: maxEntryBytes,
            verifiesContents: verifiesContents, clock: clock, beforeChange: { _ in 0 })
    }

    /// The same with a step before each change of a file, whose result is the error to fail with or 0.
    package init(
        path: String, maxBytes: Int64, maxEntryBytes: Int64?, verifiesContents: Bool,
        clock: @escaping @Sendable () -> Date, beforeChange: @escaping @Sendable (CacheStep) -> Int32
    ) throws(CacheError) {
        directory = path
        self.maxBytes = max(0, maxBytes)
        self.maxEntryBytes = max(0, maxEntryBytes ?? maxBytes / 4)
        self.verifiesContents = verifiesContents
        self.clock = clock
        files = CacheFileSystem(beforeChange: beforeChange)
        try files.makeFolder(path)
        try files.makeFolder(path + "/v1")
        try files.makeFolder(path + "/tmp")
        try tidy()
    }

    /// Bytes of the disk that the entries take.
    public var usage: Int64 {
        get throws(CacheError) {
            let lock = try CacheLock(directory, exclusive: false)
            defer { lock.release() }
            if let usage = lock.usage { return usage }
            return try scan().reduce(0) { $0 + $1.blocks }
        }
    }

    /// Seconds since 1970.
    var now: Int64 { Int64(clock().timeIntervalSince1970.rounded(.down)) }

    /// A new file that belongs to this process as long as it is open.
    func makeTemporary() throws(CacheError) -> CacheFile {
        // Nobody opens the store, and clears this folder, before the file is marked as in use.
        let lock = try CacheLock(directory, exclusive: false)
        defer { lock.release() }
        return try makeTemporaryRecord()
    }

    /// The same while a lock is held, or for a file that is not missed when it goes.
    func makeTemporaryRecord() throws(CacheError) -> CacheFile {
        let number = counter.withLock { counter in
            counter += 1
            return counter
        }
        let file = try files.create("\(directory)/tmp/\(getpid())-\(number)-\(UInt64.random(in: 0 ... .max))")
        flock(file.descriptor, LOCK_EX | LOCK_NB)
        return file
    }

    /// Whether a complete body still has its digest; asked of the disk once per body and process.
    func isIntact(_ content: StoredContent) -> Bool {
        let entry = content.entry
        guard verifiesContents, entry.isComplete else { return true }
        let mark = Self.mark(entry)
        if verified.withLock({ $0.contains(mark) }) { return true }
        guard let expected = entry.sha256, content.file.digest(entry.total ?? 0) == expected else {
            return false
        }
        markVerified(entry)
        return true
    }

    func markVerified(_ entry: CacheEntry) {
        let mark = Self.mark(entry)
        verified.withLock { _ = $0.insert(mark) }
    }

    private static func mark(_ entry: CacheEntry) -> String { "\(entry.bodyNumber) \(entry.sha256 ?? "")" }

    func folder(_ key: CacheKey) -> String { "\(directory)/v1/\(key.hash.prefix(2))" }

    func path(_ key: CacheKey, _ suffix: String) -> String { "\(folder(key))/\(key.hash).\(suffix)" }
}
