import Glibc
import Libraries
import Platform
import Synchronization

/// A file of a book that was fetched from the device, or the reason why it was not; or a book of which only metadata
/// is written.
struct FetchedBackupFile: Sendable {
    /// The app's cover of a book.
    enum AppCover: Sendable {
        /// The app was not asked.
        case unknown
        /// The app was asked; nil if it has no cover.
        case provided([UInt8]?)
        /// The app was asked and did not answer.
        case refused
        /// The app could not be asked in this run; the next run asks it.
        case postponed
    }

    /// The cover in the copy with the type and size of the one that the app lists.
    enum CoverInCopy: Sendable {
        /// The copy was not examined yet.
        case unread
        /// The copy was examined; nil if it has no such cover.
        case read([UInt8]?)
    }

    /// The index of the step in the plan.
    var step: Int
    /// The additional paper, and the record with which it was fetched; nil for the book itself.
    var paper: (paper: BackupPaper, record: BookRecord)?
    /// The copy, or the row of its failure; nil if the file was not requested.
    var answer: Result<BackupCopy, UnfetchedBook>?
    /// The app's cover of the book.
    var cover = AppCover.unknown
    /// The result of the search for the listed cover in the copy.
    var coverInCopy = CoverInCopy.unread

    /// Leaves an unknown cover to the next run.
    mutating func postponeCover() {
        if case .unknown = cover { cover = .postponed }
    }
}

/// A copied file that is not in its final place yet. Removed with the last reference, unless it was moved away.
final class BackupCopy: Sendable {
    /// The path of the file.
    let path: String
    /// The size in bytes; 0 if unknown.
    let size: UInt64
    /// An additional message of the reader app.
    let message: String?
    /// The cover, if it was found while the next copies came; nil if it was not looked for or not found.
    let cover: CopyFindings.CoverEntry?
    private let known: Mutex<Result<Checksum, HostError>?>

    /// Size and checksum of the copied bytes.
    struct Checksum: Sendable {
        /// The size in bytes.
        var size: UInt64
        /// The SHA-256 in hexadecimal.
        var digest: String

        /// Reads an open file.
        ///
        /// - Parameter path: the path of the file, for the error.
        static func of(_ file: borrowing FileDescriptor, path: String) -> Result<Checksum, HostError> {
            guard let status = file.status, let digest = FileDigest.of(file.number) else {
                return .failure(HostError(.hostIO, "Cannot read the copied book.", subject: path))
            }
            return .success(Checksum(size: UInt64(clamping: status.st_size), digest: digest))
        }
    }

    /// Moves a fetched file into a folder of copies.
    ///
    /// - Parameter findings: what is known about the file already.
    /// - Throws: an error if the file cannot be moved.
    init(
        _ file: FetchedBook, in folder: PullFolder, findings: CopyFindings
    ) throws(HostError) {
        let finding = findings.take(file.path)
        cover = finding?.cover
        known = Mutex(finding.map { .success($0.checksum) })
        (path, message) = (try folder.newPath(), file.message)
        var status = Glibc.stat()
        size = lstat(file.path, &status) == 0 ? UInt64(clamping: status.st_size) : 0
        guard rename(file.path, path) == 0 else { throw BackupFolder.unwritable(path, errno) }
    }

    deinit { unlink(path) }

    /// The size and checksum of the copy, which is read at the first call.
    ///
    /// - Throws: an error if the file cannot be read.
    func checksum() throws(HostError) -> Checksum { try known.withLock { $0 ?? read(&$0) }.get() }

    /// Reads the copy in advance, so that a later call of `checksum` is fast.
    func readAhead() { known.withLock { _ = $0 ?? read(&$0) } }

    private func read(_ known: inout Result<Checksum, HostError>?) -> Result<Checksum, HostError> {
        let result: Result<Checksum, HostError>
        if let file = FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW) {
            result = Checksum.of(file, path: path)
        } else {
            result = .failure(BackupFolder.unwritable(path, errno))
        }
        known = result
        return result
    }
}
