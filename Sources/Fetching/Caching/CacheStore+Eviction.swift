import FoundationEssentials
import Glibc

extension CacheStore {
    /// What a look at the folder shows of an entry.
    struct Found {
        var key: CacheKey
        /// Bytes of the disk.
        var blocks: Int64
        /// When it was used last, in nanoseconds.
        var used: Int64
        var hasRecord: Bool
        var hasBody: Bool
    }

    /// Makes room for an entry of some bytes, by removing what was not used for the longest time, and says what will be in use
    /// with it. The exclusive lock is held.
    ///
    /// Removing goes on down to 90 % of the bound, so that not every new entry costs a look at all. Pinned entries stay. If
    /// that cannot make room, nothing is removed.
    func makeRoom(_ needed: Int64, replacing key: CacheKey, _ lock: CacheLock) throws(CacheError) -> Int64 {
        let replaced = try counted(key)
        if let usage = lock.usage, usage - replaced + needed <= maxBytes { return usage - replaced + needed }
        let found = try scan().filter { $0.key != key }
        let others = found.reduce(0) { $0 + $1.blocks }
        var usage = others + needed
        guard usage > maxBytes else { return usage }
        var evicted: [Found] = []
        for candidate in found.sorted(by: { ($0.used, $0.key.hash) < ($1.used, $1.key.hash) }) {
            if usage <= maxBytes / 10 * 9 { break }
            if try isPinned(candidate.key) { continue }
            usage -= candidate.blocks
            evicted.append(candidate)
        }
        guard usage <= maxBytes else {
            throw CacheError(
                .full, "no room for \(needed) bytes", subject: directory,
                hint: "Increase the size limit of the cache, or unpin something.")
        }
        for entry in evicted { try removeFiles(entry.key) }
        return usage
    }

    private func isPinned(_ key: CacheKey) throws(CacheError) -> Bool {
        guard let record = try files.openExisting(path(key, "meta")) else { return false }
        return Self.entry(record)?.isPinned ?? false
    }

    /// Every entry, also halves of some.
    func scan() throws(CacheError) -> [Found] {
        var found: [Found] = []
        for folder in try files.names(directory + "/v1") where folder.utf8.count == 2 {
            var entries: [String: Found] = [:]
            for name in try files.names("\(directory)/v1/\(folder)") {
                let parts = name.split(separator: ".")
                guard parts.count == 2, parts[1] == "meta" || parts[1] == "body" else { continue }
                var status = stat()
                guard lstat("\(directory)/v1/\(folder)/\(name)", &status) == 0 else { continue }
                let hash = String(parts[0])
                var entry =
                    entries[hash]
                    ?? Found(
                        key: CacheKey(stored: hash), blocks: 0, used: 0, hasRecord: false, hasBody: false)
                entry.blocks += Int64(status.st_blocks) * 512
                if parts[1] == "meta" {
                    entry.hasRecord = true
                    entry.used =
                        Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
                } else {
                    entry.hasBody = true
                }
                entries[hash] = entry
            }
            found += entries.values
        }
        return found
    }

    /// Removes halves of entries and abandoned temporary files, and counts what is in use.
    func tidy() throws(CacheError) {
        let lock = try CacheLock(directory, exclusive: true)
        defer { lock.release() }
        for name in try files.names(directory + "/tmp") {
            let path = "\(directory)/tmp/\(name)"
            guard let file = try files.openExisting(path) else { continue }
            // Who writes a temporary file holds it locked; after a crash nobody does.
            if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 { try files.remove(path) }
        }
        var usage: Int64 = 0
        for entry in try scan() {
            if entry.hasRecord, entry.hasBody {
                usage += entry.blocks
            } else {
                try removeFiles(entry.key)
            }
        }
        try lock.record(usage: usage)
    }

    /// Removes every entry of a namespace.
    func removeAll(namespace: String) throws(CacheError) {
        let lock = try CacheLock(directory, exclusive: true)
        defer { lock.release() }
        var usage: Int64 = 0
        for entry in try scan() {
            guard let record = try files.openExisting(path(entry.key, "meta")),
                Self.entry(record).map({ $0.namespace != namespace }) ?? false
            else {
                try removeFiles(entry.key)
                continue
            }
            usage += entry.blocks
        }
        try lock.record(usage: usage)
    }
}
