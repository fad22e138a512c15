import DeviceDatabases
import OverlayKit

extension MarvinDevice {
    /// The books of the library as it is now; none where Marvin has not made one yet.
    ///
    /// The last listing's are taken while nothing has changed since.
    func libraryBooks() throws(OverlayError) -> [LibraryBook] {
        try books(isCancelled: nil) { (reader) throws(DatabaseError) in try reader.read() }
    }

    /// The same books, of which no more is certain to be told than names and uuids: enough to see which are there.
    ///
    /// A method that was cancelled may ask, too, to say what has been done until then.
    func libraryNames() throws(OverlayError) -> [LibraryBook] {
        try books(isCancelled: { false }) { (reader) throws(DatabaseError) in try reader.names() }
    }

    private func books(
        isCancelled: (() -> Bool)?, _ read: (LibraryDatabaseReader) throws(DatabaseError) -> LibraryContents
    ) throws(OverlayError) -> [LibraryBook] {
        do {
            if let last = try cache.load(paths), last.isSettled {
                let mark = try DatabaseStamp.take(host, root, paths.library).mark
                if mark == last.state.mark, !mark.hasActiveJournal { return Array(last.books) }
            }
            return Array(try OpenLibrary(self, isCancelled: isCancelled, read: read).library.books)
        } catch {
            if error.status == .notFound { return [] }
            throw error
        }
    }

    /// Runs something that reads the library, and tells its failure as the host understands it.
    func readingLibrary<Value>(
        _ body: () throws(DatabaseError) -> Value
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

/// A private copy of the library, open for reading; the copy goes with it.
final class OpenLibrary {
    /// What the library was when it was copied.
    let mark: DatabaseStamp
    let library: LibraryContents
    let reader: LibraryDatabaseReader
    private let copy: DatabaseCopy

    /// Copies and reads the library.
    ///
    /// - Parameters:
    ///   - known: what the library was when it was looked at just before.
    ///   - isCancelled: whether to stop reading; nil: when the host says so.
    ///   - read: what is read of it.
    init(
        _ device: MarvinDevice, known: DatabaseStamp? = nil, isCancelled: (() -> Bool)? = nil,
        read: (LibraryDatabaseReader) throws(DatabaseError) -> LibraryContents = {
            (reader) throws(DatabaseError) in
            try reader.read()
        }
    ) throws(OverlayError) {
        let copy = try Self.copy(device, known)
        // No sound library says more than a few times what its file holds; a hostile one repeats pages without end.
        let budget = max(64 << 20, Int(clamping: copy.size) &* 4)
        let cancellation = device.host.cancellation
        (library, reader) = try device.readingLibrary { () throws(DatabaseError) in
            let database = try DeviceDatabase(
                path: copy.path, name: LibraryDatabaseReader.name, byteBudget: budget,
                isCancelled: isCancelled ?? { cancellation.isCancelled })
            let reader = try LibraryDatabaseReader(database)
            return (try read(reader), reader)
        }
        self.copy = copy
        mark = copy.mark
        for remark in library.remarks { device.host.log.notice("marvin", remark) }
    }

    private static func copy(_ device: MarvinDevice, _ known: DatabaseStamp?) throws(OverlayError)
        -> DatabaseCopy
    {
        let path = device.paths.library
        do throws(OverlayError) {
            return try DatabaseCopy(
                device.host, device.root, path, name: LibraryDatabaseReader.name, known: known)
        } catch {
            var reason = error
            switch error.status {
            case .notFound: throw .noLibrary(path)
            case .damaged: reason.hint = reason.hint ?? MarvinHint.damaged
            case .busy: reason.hint = MarvinHint.busy
            default: break
            }
            throw reason
        }
    }
}
