import Glibc
import Libraries
import Platform

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

    /// The place of the step in the plan.
    var step: Int
    /// Which further paper it is, and how the device lists it; nil for the book itself.
    var paper: (paper: BackupPaper, record: BookRecord)?
    /// The copy, or the row of its failure; nil if no file was wanted.
    var answer: Result<BackupCopy, UnfetchedBook>?
    /// The cover that the app has of the book.
    var cover = AppCover.unknown

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
}
