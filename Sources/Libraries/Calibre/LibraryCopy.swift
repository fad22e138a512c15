import Glibc
import HostErrors
import Platform

/// A private copy of a library's `metadata.db`, made while no program was changing the file.
///
/// SQLite writes files beside a database with a write-ahead log, even when it only reads. The original is therefore
/// not opened with SQLite: the file is copied while holding the lock that SQLite's readers use, which blocks writers.
/// A write-ahead log is also copied. A rollback journal that no program uses belongs to an interrupted change. It is
/// copied too, and SQLite undoes the change in the copy. The copy is removed with the last reference.
package final class LibraryCopy {
    /// The positions of SQLite's locks (fcntl): pending, reserved, then the range for readers.
    private static let lockPlace: Int64 = 0x4000_0000
    private static let readers: (start: Int64, count: Int64) = (lockPlace + 2, 510)
    /// `F_OFD_GETLK` and `F_OFD_SETLK` of Linux, which Swift does not import from the system's headers.
    private static let (getLock, setLock): (Int32, Int32) = (36, 37)
    /// The number of attempts, 2 ms apart, because the gaps between the changes of a busy writer are short.
    package static let attempts = 2500
    private static let pause: UInt32 = 2_000
    /// File systems count time in steps of a few milliseconds, so a change just before the check may have the same
    /// time as a later one.
    private static let settled: Int64 = 30_000_000

    /// The copy's main file.
    package let path: String
    private let folder: PrivateFolder

    /// Copies the database of a library.
    ///
    /// - Parameters:
    ///   - temporary: the folder in which a private folder is made.
    ///   - attempts: the number of attempts.
    /// - Throws: `busy` while another program writes, `inputUnreadable`, `hostIO`, `cancelled`.
    package init(
        of library: String, in temporary: String, attempts: Int = LibraryCopy.attempts,
        isCancelled: () -> Bool = { false }
    ) throws(HostError) {
        guard let folder = PrivateFolder(beginning: temporary + "/overlayhost-library-") else {
            throw Self.unwritable(temporary, errno)
        }
        self.folder = folder
        path = folder.path + "/metadata.db"
        let source = library + "/metadata.db"
        for attempt in 0..<max(1, attempts) {
            if isCancelled() { throw HostError(.cancelled, "The command was cancelled.") }
            if attempt > 0 { usleep(Self.pause) }
            if try take(source) { return }
        }
        throw HostError(
            .busy, "Another program is writing to this calibre library.", subject: source,
            hint: "Wait until it has finished, and try again.", isRetryable: true)
    }

    /// Makes one attempt. Returns false if a program was writing.
    private func take(_ source: String) throws(HostError) -> Bool {
        let descriptor = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { throw Self.unreadable(source, errno) }
        // Closing the file releases the lock.
        defer { close(descriptor) }
        guard Self.lock(descriptor, Self.setLock, Self.readers) == nil else { return false }
        let parts = ["", "-wal", "-journal"]
        let before = parts.map { SourceStamp(path: source + $0) }
        guard let main = before[0] else { throw Self.unreadable(source, errno) }
        guard main.size > 0 else {
            throw HostError(.damaged, "The database of this calibre library is empty.", subject: source)
        }
        // Writers of a log do not hold these locks. But each frame of the log has a checksum, and the main file only
        // changes when frames are moved into it.
        if before[1] != nil, Int64(SystemClock.wall) - main.modified < Self.settled { return false }
        // A program with the reserved lock prepares a change in its journal. It has not changed the database file
        // yet.
        let isInUse = Self.lock(descriptor, Self.getLock, (Self.lockPlace + 1, 1)) != nil
        let head = Self.head(of: source + "-wal")
        try copy(descriptor, to: "")
        for (part, stamp) in zip(parts, before).dropFirst() {
            unlink(path + part)
            guard let stamp, stamp.size > 0, part == "-wal" || !isInUse else { continue }
            let own = open(source + part, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
            guard own >= 0 else { return false }
            defer { close(own) }
            guard part == "-wal" || !Self.namesOther(own, stamp.size) else {
                throw LibraryDatabase.damaged(
                    String(source.dropLast("/metadata.db".count)), 0,
                    "an unfinished change also concerns another database")
            }
            try copy(own, to: part)
        }
        let after = parts.map { SourceStamp(path: source + $0) }
        // A log may grow while it is copied, because any copied part contains complete changes up to some point. It
        // must not be restarted, which would change its header.
        let isSameLog =
            before[1]?.inode == after[1]?.inode && (before[1]?.size ?? 0) <= (after[1]?.size ?? 0)
            && head == Self.head(of: source + "-wal")
        return after[0] == main && isSameLog && (isInUse || before[2] == after[2])
    }

    private func copy(_ source: Int32, to part: String) throws(HostError) {
        let target = open(path + part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard target >= 0 else { throw Self.unwritable(path + part, errno) }
        defer { close(target) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var place: off_t = 0
        while true {
            let count = pread(source, &buffer, buffer.count, place)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable("metadata.db" + part, errno) }
            if count == 0 { return }
            let problem = buffer.withUnsafeBytes {
                writeAll(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: target)
            }
            guard problem == 0 else { throw Self.unwritable(path + part, problem) }
            place += off_t(count)
        }
    }

    /// Sets or tests a lock on a range. Returns nil if the lock was set or nothing blocks it, otherwise errno.
    ///
    /// The lock belongs to the open file description. A lock of the process would be released when any descriptor of
    /// the file is closed.
    private static func lock(_ descriptor: Int32, _ command: Int32, _ range: (start: Int64, count: Int64))
        -> Int32?
    {
        var lock = flock()
        lock.l_type = Int16(command == Self.getLock ? F_WRLCK : F_RDLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(range.start)
        lock.l_len = off_t(range.count)
        let result = fcntl(descriptor, command, &lock)
        if command == Self.getLock { return result == 0 && lock.l_type == Int16(F_UNLCK) ? nil : EAGAIN }
        // Without support for locks, other programs cannot hold one either.
        guard result != 0, ![ENOLCK, ENOSYS, EINVAL, ENOTSUP].contains(errno) else { return nil }
        return errno
    }

    /// The first bytes of a log, which differ each time the log is restarted; empty if there is no log.
    private static func head(of log: String) -> [UInt8] {
        let descriptor = open(log, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 32)
        return Array(bytes.prefix(max(0, pread(descriptor, &bytes, bytes.count, 0))))
    }

    /// Whether a rollback journal ends with the name of a super-journal, which SQLite would search for and use.
    private static func namesOther(_ journal: Int32, _ size: UInt64) -> Bool {
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        var bytes = [UInt8](repeating: 0, count: magic.count)
        guard size >= 16 else { return false }
        return pread(journal, &bytes, bytes.count, off_t(clamping: size) - 8) == 8 && bytes == magic
    }

    private static func unreadable(_ path: String, _ code: Int32) -> HostError {
        HostError(
            .inputUnreadable, "Cannot read the database of this calibre library: \(systemText(code)).",
            subject: path, hint: "Nothing was changed on the device.", native: .posix(code))
    }

    private static func unwritable(_ path: String, _ code: Int32) -> HostError {
        HostError(
            code == ENOSPC ? .noSpace : .hostIO,
            "Cannot make a temporary copy of the calibre library: \(systemText(code)).", subject: path,
            hint: "Set the environment variable TMPDIR to a folder with more room.", native: .posix(code))
    }
}
