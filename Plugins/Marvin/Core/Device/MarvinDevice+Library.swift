import Diagnostics
import DeviceDatabases
import OverlayKit

extension MarvinDevice {
    /// The books of the present library; empty if Marvin has not created one yet.
    ///
    /// The books of the last listing are used if nothing has changed since.
    func libraryBooks() throws(OverlayError) -> [LibraryBook] {
        try books(isCancelled: nil) { (reader) throws(DatabaseError) in try reader.read() }
    }

    /// The same books, with only names and UUIDs certain to be read. This is enough to determine which books exist.
    ///
    /// A cancelled method may also call this, to report what has been done so far.
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

    /// Reads the library with `body`, and converts errors to ones that the host understands.
    func readingLibrary<Value>(
        _ body: () throws(DatabaseError) -> Value
    ) throws(OverlayError) -> Value {
        do {
            return try body()
        } catch {
            // `cancelled` may also mean that the time is up or the device is gone; the host knows which.
            if error.code == .cancelled { try host.cancellation.check() }
            var reason = OverlayError(error, subject: paths.library)
            if error.code == .damaged { reason.hint = MarvinHint.damaged }
            throw reason
        }
    }
}

/// A private copy of the library, open for reading. The copy is deleted with this object.
final class OpenLibrary {
    /// The state of the library when it was copied.
    let mark: DatabaseStamp
    let library: LibraryContents
    let reader: LibraryDatabaseReader
    private let copy: DatabaseCopy

    /// Copies and reads the library.
    ///
    /// - Parameters:
    ///   - known: the state of the library if it was determined just before.
    ///   - isCancelled: whether to stop reading; nil stops if the host says so.
    ///   - read: what to read of it.
    init(
        _ device: MarvinDevice, known: DatabaseStamp? = nil, isCancelled: (() -> Bool)? = nil,
        read: (LibraryDatabaseReader) throws(DatabaseError) -> LibraryContents = {
            (reader) throws(DatabaseError) in
            try reader.read()
        }
    ) throws(OverlayError) {
        let copy = try Self.copy(device, known)
        // A valid library yields at most a few times the bytes of its file; a hostile one may repeat pages endlessly.
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
