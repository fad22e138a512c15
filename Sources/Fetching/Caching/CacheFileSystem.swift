import FoundationEssentials
import Glibc
import Platform

/// The system calls of the store, with errors as `CacheError`.
struct CacheFileSystem: Sendable {
    /// Called before each change; another number than 0 is the error with which the change fails.
    var beforeChange: @Sendable (CacheStep) -> Int32 = { _ in 0 }

    /// Makes a folder for the owner alone; one that is there is fine.
    func makeFolder(_ path: String) throws(CacheError) {
        try change(.createFolder, path) { mkdir(path, 0o700) == 0 || errno == EEXIST ? 0 : -1 }
    }

    /// Creates a new file for the owner alone.
    func create(_ path: String) throws(CacheError) -> CacheFile {
        let descriptor = try change(.createFile, path) {
            open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        return CacheFile(descriptor, path: path)
    }

    /// Opens a file that is there; nil if it is not.
    func openExisting(_ path: String, writable: Bool = false) throws(CacheError) -> CacheFile? {
        let descriptor = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        let file = CacheFile(descriptor, path: path)
        guard let status = file.status, status.st_mode & S_IFMT == S_IFREG else {
            throw CacheError(.notOurs, "this is not a regular file", subject: path)
        }
        return file
    }

    /// Writes all bytes at a place.
    func write(_ data: Data, at offset: Int64, to file: CacheFile) throws(CacheError) {
        var written = 0
        while written < data.count {
            let count = try change(.write, file.path) {
                data.withUnsafeBytes { bytes in
                    pwrite(
                        file.descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written,
                        off_t(offset) + off_t(written))
                }
            }
            guard count > 0 else { throw Self.failure(file.path, EIO) }
            written += Int(count)
        }
    }

    /// Waits until the bytes are on the medium.
    func sync(_ file: CacheFile) throws(CacheError) {
        _ = try change(.syncFile, file.path) { fdatasync(file.descriptor) }
    }

    /// Sets the time of change, by which entries are evicted.
    func touch(_ file: CacheFile, seconds: Int64) throws(CacheError) {
        var times = [timespec(tv_sec: 0, tv_nsec: omittedTime), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
        _ = try change(.touch, file.path) { futimens(file.descriptor, &times) }
    }

    func rename(_ from: String, _ to: String) throws(CacheError) {
        _ = try change(.rename, to) { Glibc.rename(from, to) }
    }

    /// Removes a file; one that is not there is fine.
    func remove(_ path: String) throws(CacheError) {
        _ = try change(.remove, path) { unlink(path) == 0 || errno == ENOENT ? 0 : -1 }
    }

    /// Waits until the names in a folder are on the medium.
    func syncFolder(_ path: String) throws(CacheError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        defer { close(descriptor) }
        _ = try change(.syncFolder, path) { fsync(descriptor) }
    }

    /// The names in a folder, none if it is not there.
    func names(_ folder: String) throws(CacheError) -> [String] {
        guard let stream = opendir(folder) else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw Self.failure(folder, errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// A change that is announced first, and repeated when a signal came in between.
    @discardableResult
    private func change<Number: FixedWidthInteger>(
        _ step: CacheStep, _ path: String, _ call: () -> Number
    ) throws(CacheError) -> Number {
        let injected = beforeChange(step)
        guard injected == 0 else { throw Self.failure(path, injected) }
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw Self.failure(path, errno) }
        }
    }

    static func failure(_ path: String, _ number: Int32) -> CacheError {
        let isFull = number == ENOSPC || number == EDQUOT
        return CacheError(
            isFull ? .full : .inputOutput, systemText(number), subject: path,
            hint: isFull ? "Free some space, or reduce the size limit of the cache." : nil, errno: number)
    }
}

/// `UTIME_OMIT` of utimensat(2), which Swift does not import.
private let omittedTime = (1 << 30) - 2
