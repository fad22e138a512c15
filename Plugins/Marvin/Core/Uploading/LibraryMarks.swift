import DeviceDatabases
import OverlayKit
import UploadPlanning

/// What people left in the books of Marvin's library: read once, and only when it matters. For the device thread.
final class LibraryMarks {
    private let device: MarvinDevice
    private var annotations: [Int64: [Annotation]]?

    /// Reads nothing yet.
    init(_ device: MarvinDevice) { self.device = device }

    /// The books of the library together with the marks in them, from one copy of it; none where Marvin has not made one.
    func libraryBooks() throws(OverlayError) -> [LibraryBook] {
        do throws(OverlayError) {
            let open = try OpenLibrary(device)
            annotations = try device.readingLibrary { () throws(DatabaseFailure) in
                try open.reader.annotations()
            }
            return open.library.books
        } catch {
            guard error.status == .notFound else { throw error }
            annotations = [:]
            return []
        }
    }

    /// The marks in a book.
    func marks(in book: LibraryBook) throws(OverlayError) -> ReadingMarks {
        if annotations == nil { _ = try libraryBooks() }
        let own = book.id.flatMap { annotations?[$0] } ?? []
        return ReadingMarks(kinds: own.map { $0.kind ?? "highlight" }, progress: book.progress)
    }
}
