import DeviceDatabases
import OverlayKit

extension MarvinDevice {
    /// The books of the library as it is now; none where Marvin has not made one yet.
    ///
    /// The last listing's are taken while nothing has changed since.
    func libraryBooks() throws(OverlayError) -> [LibraryBook] {
        try books(isCancelled: nil) { (reader) throws(DatabaseFailure) in try reader.read() }
    }

    /// The same books, of which no more is certain to be told than names and uuids: enough to see which are there.
    ///
    /// A method that was cancelled may ask, too, to say what has been done until then.
    func libraryNames() throws(OverlayError) -> [LibraryBook] {
        try books(isCancelled: { false }) { (reader) throws(DatabaseFailure) in try reader.names() }
    }

    private func books(
        isCancelled: (() -> Bool)?, _ read: (LibraryDatabaseReader) throws(DatabaseFailure) -> LibraryContents
    ) throws(OverlayError) -> [LibraryBook] {
        do {
            if let last = try cache.load(self), last.isSettled {
                let mark = try DatabaseMark.take(host, root, paths.library).mark
                if mark == last.state.mark, !mark.hasActiveJournal { return last.entries.map(\.book) }
            }
            return try OpenLibrary(self, isCancelled: isCancelled, read: read).library.books
        } catch {
            if error.status == .notFound { return [] }
            throw error
        }
    }

    /// Runs something that reads the library, and tells its failure as the host understands it.
    func readingLibrary<Value>(
        _ body: () throws(DatabaseFailure) -> Value
    ) throws(OverlayError) -> Value {
        do {
            return try body()
        } catch {
            // Cancelled may also mean that time is up or the device is gone; the host knows which.
            if error.code == .cancelled { try host.cancellation.check() }
            var reason = OverlayError(error, subject: paths.library)
            if error.code == .damaged { reason.hint = MarvinHint.damaged }
            throw reason
        }
    }
}
