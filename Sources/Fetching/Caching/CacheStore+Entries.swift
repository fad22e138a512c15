import FoundationEssentials
import Glibc

extension CacheStore {
    /// The entry of a key, if there is an intact one. Counts as a use of it.
    func find(_ key: CacheKey) -> StoredContent? {
        do throws(CacheError) {
            guard let content = try look(key) else { return nil }
            guard isIntact(content) else {
                try remove(key, ifBody: content.entry.bodyNumber)
                return nil
            }
            return content
        } catch {
            // What cannot be read is not there: the child is asked instead.
            return nil
        }
    }

    private func look(_ key: CacheKey) throws(CacheError) -> StoredContent? {
        let lock = try CacheLock(directory, exclusive: false)
        defer { lock.release() }
        return try read(key)
    }

    /// The entry of a key while a lock is held.
    func read(_ key: CacheKey) throws(CacheError) -> StoredContent? {
        guard let record = try files.openExisting(path(key, "meta")), let status = record.status,
            let entry = Self.entry(record),
            let body = try files.openExisting(path(key, "body"), writable: true),
            let bodyStatus = body.status,
            UInt64(bodyStatus.st_ino) == entry.bodyNumber, Int64(bodyStatus.st_size) >= entry.recordedLength
        else { return nil }
        let moment = now
        // Once a minute is enough to know the order of use.
        if abs(moment - Int64(status.st_mtim.tv_sec)) >= 60 { try files.touch(record, seconds: moment) }
        return StoredContent(key: key, entry: entry, file: body)
    }

    /// The entry that an open record holds; nil when it is damaged or too large to be one.
    static func entry(_ record: CacheFile) -> CacheEntry? {
        guard let size = record.status?.st_size, size > 0, size <= 4 << 20,
            let data = record.read(0..<Int64(size)), let text = String(validating: data, as: UTF8.self)
        else { return nil }
        return CacheEntry(text: text)
    }

    /// Makes a written temporary file the body of an entry, in place of what was there.
    ///
    /// Body and record are on the medium before either has its name. The old record goes first: whenever this is
    /// interrupted, no record stands beside a body that it does not describe.
    @discardableResult
    func commit(
        _ body: CacheFile, _ entry: CacheEntry, as key: CacheKey
    ) throws(CacheError) -> StoredContent {
        guard let number = body.status?.st_ino else { throw CacheFileSystem.failure(body.path, EIO) }
        var entry = entry
        entry.bodyNumber = UInt64(number)
        try files.sync(body)
        entry.bodyBlocks = Self.blocks(body)
        let record = try makeRecord(entry)
        do throws(CacheError) {
            let lock = try CacheLock(directory, exclusive: true)
            defer { lock.release() }
            try files.makeFolder(folder(key))
            let usage = try makeRoom(entry.bodyBlocks + Self.blocks(record), replacing: key, lock)
            try files.remove(path(key, "meta"))
            try files.rename(body.path, path(key, "body"))
            try files.rename(record.path, path(key, "meta"))
            try lock.record(usage: usage)
            try files.syncFolder(folder(key))
        } catch {
            discard(body)
            discard(record)
            throw error
        }
        if entry.isComplete { markVerified(entry) }
        return StoredContent(key: key, entry: entry, file: body)
    }

    /// Changes the record of an entry, if its body is still that one.
    @discardableResult
    func update(
        _ key: CacheKey, body number: UInt64, _ change: (inout CacheEntry) -> Void
    ) throws(CacheError) -> CacheEntry {
        let lock = try CacheLock(directory, exclusive: true)
        defer { lock.release() }
        guard let content = try read(key), content.entry.bodyNumber == number else {
            throw CacheError(
                .superseded, "the entry was replaced in the meantime", subject: path(key, "meta"))
        }
        var entry = content.entry
        change(&entry)
        entry.bodyBlocks = Self.blocks(content.file)
        let record = try makeRecord(entry)
        do throws(CacheError) {
            let usage = try makeRoom(entry.bodyBlocks + Self.blocks(record), replacing: key, lock)
            try files.rename(record.path, path(key, "meta"))
            try lock.record(usage: usage)
            try files.syncFolder(folder(key))
        } catch {
            discard(record)
            throw error
        }
        return entry
    }

    /// Removes the entry of a key, if its body is that one; nil removes any.
    func remove(_ key: CacheKey, ifBody number: UInt64? = nil) throws(CacheError) {
        let lock = try CacheLock(directory, exclusive: true)
        defer { lock.release() }
        if let number, let content = try read(key), content.entry.bodyNumber != number { return }
        let freed = try counted(key)
        try removeFiles(key)
        if let usage = lock.usage { try lock.record(usage: usage - freed) }
    }

    /// Removes record and body, the record first.
    func removeFiles(_ key: CacheKey) throws(CacheError) {
        try files.remove(path(key, "meta"))
        try files.remove(path(key, "body"))
    }

    /// Removes a temporary file that is not needed; what stays behind goes when the store is opened next.
    func discard(_ file: CacheFile) {
        do throws(CacheError) { try files.remove(file.path) } catch { return }
    }

    private func makeRecord(_ entry: CacheEntry) throws(CacheError) -> CacheFile {
        guard let text = entry.text() else {
            throw CacheError(.inputOutput, "no checksum could be computed", subject: entry.href)
        }
        let record = try makeTemporaryRecord()
        do throws(CacheError) {
            try files.write(Data(text.utf8), at: 0, to: record)
            try files.touch(record, seconds: now)
            try files.sync(record)
        } catch {
            discard(record)
            throw error
        }
        return record
    }

    /// Bytes of the disk that a file takes.
    static func blocks(_ file: CacheFile) -> Int64 { Int64(file.status?.st_blocks ?? 0) * 512 }

    /// Bytes of the disk that are counted for an entry, 0 if it is not there.
    func counted(_ key: CacheKey) throws(CacheError) -> Int64 {
        var sum: Int64 = 0
        var recorded: Int64?
        if let record = try files.openExisting(path(key, "meta")) {
            sum = Self.blocks(record)
            recorded = Self.entry(record)?.bodyBlocks
        }
        if let recorded { return sum + recorded }
        if let body = try files.openExisting(path(key, "body")) { sum += Self.blocks(body) }
        return sum
    }
}
