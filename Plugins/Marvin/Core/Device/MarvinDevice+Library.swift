import OverlayKit

extension MarvinDevice {
    /// Copies and reads the library, and lends the open database to `body` for what is only read on demand.
    func withLibrary<Value>(
        _ body: (Library, LibraryReader) throws(OverlayError) -> Value
    ) throws(OverlayError) -> Value {
        let copy = try LibraryCopy(self)
        // No sound library says more than a few times what its file holds; a hostile one repeats pages without end.
        let budget = max(64 << 20, Int(clamping: copy.size) &* 4)
        let cancellation = host.cancellation
        let (library, reader) = try readingLibrary { () throws(LibraryFailure) in
            let database = try LibraryDatabase(
                path: copy.path, byteBudget: budget, isCancelled: { cancellation.isCancelled })
            let reader = try LibraryReader(database)
            return (try reader.read(), reader)
        }
        for remark in library.remarks { host.log.notice("marvin", remark) }
        defer { withExtendedLifetime(copy) {} }
        return try body(library, reader)
    }

    /// The books of the library; none where Marvin has not made one yet.
    func libraryBooks() throws(OverlayError) -> [LibraryBook] {
        do {
            return try withLibrary { library, _ throws(OverlayError) in library.books }
        } catch {
            if error.status == .notFound { return [] }
            throw error
        }
    }

    /// Runs something that reads the library, and tells its failure as the host understands it.
    func readingLibrary<Value>(
        _ body: () throws(LibraryFailure) -> Value
    ) throws(OverlayError) -> Value {
        do {
            return try body()
        } catch {
            // Cancelled may also mean that time is up or the device is gone; the host knows which.
            if error.code == .cancelled { try host.cancellation.check() }
            throw OverlayError(error, subject: paths.library)
        }
    }
}
