import Glibc
import Libraries
import Platform
import Synchronization

/// A file of a book that came from the device, or the reason why it did not; or a book of which only metadata are written.
struct FetchedBackupFile: Sendable {
    /// The cover that the app has of a book.
    enum AppCover: Sendable {
        /// The app was not asked.
        case unknown
        /// The app was asked; nil: it has none.
        case told([UInt8]?)
        /// The app was asked and did not answer.
        case refused
        /// There is no time to ask the app; the next run does.
        case postponed
    }

    /// The cover in the copy that has the type and size of the one that the app lists.
    enum CoverInCopy: Sendable {
        /// The copy was not looked into yet.
        case unread
        /// The copy was looked into; nil: it has no such cover.
        case read([UInt8]?)
    }

    /// The place of the step in the plan.
    var step: Int
    /// Which further paper it is, and how the device lists it; nil for the book itself.
    var paper: (paper: BackupPaper, record: BookRecord)?
    /// The copy, or the row of its failure; nil if no file was wanted.
    var answer: Result<BackupCopy, UnfetchedBook>?
    /// The cover that the app has of the book.
    var cover = AppCover.unknown
    /// What was found of the listed cover in the copy.
    var coverInCopy = CoverInCopy.unread

    /// Leaves a cover that is not known to the next run.
    mutating func postponeCover() {
        if case .unknown = cover { cover = .postponed }
    }
}

/// A copied file that has not got its place yet. It is removed with the last reference, unless it was moved away.
final class BackupCopy: Sendable {
    /// Where it is.
    let path: String
    /// Its bytes; 0 if that is not known.
    let size: UInt64
    /// What the reader app says besides.
    let message: String?
    private let known = Mutex<Result<Checksum, HostError>?>(nil)

    /// What the copy has, by its bytes.
    struct Checksum {
        /// Bytes.
        var size: UInt64
        /// SHA-256 in hexadecimal.
        var digest: String
    }

    /// Takes a fetched file into a folder of copies, from which nothing else removes it.
    ///
    /// - Throws: why it cannot be moved.
    init(_ file: FetchedBook, in folder: PullFolder) throws(HostError) {
        (path, message) = (try folder.newPath(), file.message)
        var status = Glibc.stat()
        size = lstat(file.path, &status) == 0 ? UInt64(clamping: status.st_size) : 0
        guard rename(file.path, path) == 0 else { throw BackupFolder.unwritable(path, errno) }
    }

    deinit { unlink(path) }

    /// Size and checksum of the copy, which is read to its end the first time that they are asked for.
    ///
    /// - Throws: why it cannot be read.
    func checksum() throws(HostError) -> Checksum { try known.withLock { $0 ?? read(&$0) }.get() }

    /// Reads the copy, so that `checksum` need not.
    func readAhead() { known.withLock { _ = $0 ?? read(&$0) } }

    private func read(_ known: inout Result<Checksum, HostError>?) -> Result<Checksum, HostError> {
        let result = Result { () throws(HostError) in
            guard let descriptor = FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW) else {
                throw BackupFolder.unwritable(path, errno)
            }
            guard let status = descriptor.status, let digest = FileDigest.of(descriptor.number) else {
                throw HostError(.hostIO, "Cannot read the copied book.", subject: path)
            }
            return Checksum(size: UInt64(clamping: status.st_size), digest: digest)
        }
        known = result
        return result
    }
}
