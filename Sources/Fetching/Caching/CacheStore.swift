import FoundationEssentials
import Glibc
import Platform
import Synchronization

/// A size-limited folder of web content. Several processes may use it at once, and any of them may end at any moment.
///
/// An entry is a record, `KEY.json`, and a body file that the record names. A body belongs to one version: its bytes
/// are written once and never changed, and the record lists only bytes that are on disk. Therefore no lock is needed
/// to read or replace an entry. An open body has a shared `flock`, so that `tidy()` in another process does not
/// remove a body that has no record yet.
///
/// The store never reports errors to the caller: content that cannot be stored is fetched again. All members may be
/// called from any thread.
///
/// ```swift
/// guard let store = CacheStore(directory: "/home/reader/.cache/books", maximumBytes: 64 << 20) else { return }
/// let fetchers = [HTTPFetcher(), HTTPFetcher()].map { CachingFetcher($0, store: store) }
/// for fetcher in fetchers { fetcher.close() }
/// ```
public final class CacheStore: Sendable {
    /// The folder of the store.
    let directory: String
    /// The largest disk space of all entries, in bytes of allocated blocks.
    let maximumBytes: Int64
    /// The current time in seconds since 1970, which determines the age of content.
    let now: @Sendable () -> Int64

    /// The largest content that is stored, in bytes.
    var maximumEntryBytes: Int64 { maximumBytes / 4 }

    /// Creates a store in a folder, which is created with access for this user only; nil if it cannot be created or
    /// belongs to another user.
    public init?(
        directory: String, maximumBytes: Int64 = 512 << 20,
        now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
    ) {
        self.directory = directory
        self.maximumBytes = maximumBytes
        self.now = now
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            return nil
        }
        var status = stat()
        guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            chmod(directory, 0o700) == 0
        else { return nil }
    }

    /// The key under which the content of a URL is stored; nil if the system has no digest function.
    static func key(_ url: HTTPURL) -> String? { Digest.text(of: url.string, .sha256) }

    private func recordPath(_ key: String) -> String { "\(directory)/\(key).json" }

    private func bodyPath(_ name: String) -> String { "\(directory)/\(name)" }

    /// The entry of a key, with its body open; nil if the record or the body is missing.
    func find(_ key: String) -> StoredContent? {
        guard let record = record(key), let body = CacheBody(path: bodyPath(record.body), creates: false),
            body.length >= record.present.end
        else { return nil }
        // The modification time of the record is the time of last use.
        utimensat(AT_FDCWD, recordPath(key), nil, 0)
        return StoredContent(key: key, record: record, file: body)
    }

    private func record(_ key: String) -> CacheRecord? {
        let source: FileByteSource
        do throws(ByteSourceError) { source = try FileByteSource(path: recordPath(key)) } catch { return nil }
        defer { source.close() }
        do throws(ByteSourceError) {
            return CacheRecord(Array(try source.read(at: 0, count: 1 << 20)))
        } catch {
            return nil
        }
    }

    /// Creates an entry with an empty body for a new version; nil if the file cannot be created.
    func make(_ key: String, _ response: HTTPResponse, validator: String, total: Int64?) -> StoredContent? {
        let name = "\(key).\(UInt64.random(in: 0 ... .max))"
        guard let body = CacheBody(path: bodyPath(name), creates: true) else { return nil }
        let record = CacheRecord(
            response: response, validator: validator, body: name, total: total, storedAt: now())
        return StoredContent(key: key, record: record, file: body)
    }

    /// Waits until the body is on disk, then replaces the record of the entry.
    func save(_ content: StoredContent) {
        // A body that was evicted in the meantime has no name anymore.
        guard content.file.isLinked, content.file.synchronize(),
            let file = TemporaryFile(beginning: "\(directory)/\(content.key)"),
            writeAll(Array(JSONValue.object(content.record.json).text().utf8), to: file.descriptor) == 0
        else { return }
        // Losing a record in a power failure only costs a request.
        guard file.move(to: recordPath(content.key), survivesPowerCut: false) == 0 else { return }
        tidy()
    }

    /// Removes the entry of a key. Open bodies remain readable.
    func remove(_ key: String) {
        let body = record(key)?.body
        unlink(recordPath(key))
        if let body { unlink(bodyPath(body)) }
    }

    // MARK: bounds

    private struct Found {
        var key: String
        var bytes: Int64 = 0
        /// The time of last use, in nanoseconds since 1970.
        var used: Int64 = 0
        var bodies: [String] = []
        var hasRecord = false
    }

    /// Removes bodies that no record names and no process uses. Then removes the least recently used entries until
    /// the store is below 90 % of its limit.
    private func tidy() {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: directory) } catch { return }
        var entries: [String: Found] = [:]
        for name in names {
            var status = stat()
            let key = String(name.prefix { $0 != "." })
            guard lstat(bodyPath(name), &status) == 0 else { continue }
            var entry = entries[key] ?? Found(key: key)
            entry.bytes += Int64(status.st_blocks) * 512
            if name == key + ".json" {
                entry.hasRecord = true
                entry.used = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
            } else {
                entry.bodies.append(name)
            }
            entries[key] = entry
        }
        for entry in entries.values where entry.bodies.count > 1 || !entry.hasRecord {
            let named = record(entry.key)?.body
            for body in entry.bodies where body != named { removeAbandoned(body) }
        }
        var usage = entries.values.reduce(0) { $0 + $1.bytes }
        guard usage > maximumBytes else { return }
        for entry in entries.values.sorted(by: { $0.used < $1.used }) where usage > maximumBytes / 10 * 9 {
            guard entry.hasRecord else { continue }
            remove(entry.key)
            usage -= entry.bytes
        }
    }

    /// Removes a body file that no process has open.
    private func removeAbandoned(_ name: String) {
        guard let body = CacheBody(path: bodyPath(name), creates: false), body.isOnlyOurs else { return }
        unlink(bodyPath(name))
    }
}

/// The open body of an entry. Its bytes are written once, and reads and writes at different positions do not affect
/// each other.
final class CacheBody: Sendable {
    private let file: FileDescriptor
    private var descriptor: Int32 { file.number }

    /// Opens a body, or creates an empty one; nil on failure.
    init?(path: String, creates: Bool) {
        let flags = O_RDWR | O_NOFOLLOW | (creates ? O_CREAT | O_EXCL : 0)
        guard let file = FileDescriptor(opening: path, flags), flock(file.number, LOCK_SH | LOCK_NB) == 0
        else { return nil }
        self.file = file
    }

    private var status: stat? { file.status }

    var length: Int64 { Int64(status?.st_size ?? 0) }

    /// Whether the file still has a name.
    var isLinked: Bool { (status?.st_nlink ?? 0) > 0 }

    /// Whether no other process has the body open. Tries to take an exclusive lock.
    var isOnlyOurs: Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Waits until the written bytes are on disk; returns false on failure.
    func synchronize() -> Bool { fdatasync(descriptor) == 0 }

    /// The bytes of a range; nil if they cannot be read.
    func read(_ range: Range<Int64>) -> Data? {
        let count = Int(clamping: range.upperBound - range.lowerBound)
        var done = 0
        let data = Data.filling(count) { buffer in
            done = readFully(descriptor, into: buffer, at: range.lowerBound) ?? 0
            return done
        }
        return done == count ? data : nil
    }

    /// Writes bytes at a position; returns false on failure.
    func write(_ bytes: Data, at position: Int64) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                let written = pwrite(descriptor, rest.baseAddress, rest.count, off_t(position) + done)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { return false }
                done += written
            }
            return true
        }
    }
}

/// An entry with its body open. Both remain usable when the entry is replaced or removed.
struct StoredContent: Sendable {
    let key: String
    var record: CacheRecord
    let file: CacheBody

    /// The part of a range that exists, if the end is known; nil means all bytes.
    func clamped(_ range: Range<Int64>?) -> Range<Int64> {
        ByteRange.clamped(range ?? 0..<Int64.max, length: record.total ?? .max)
    }
}
