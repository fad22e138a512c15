import DeviceDatabases
import OverlayKit
import UploadPlanning

/// Finds the books of the library that an item of an upload may be. Use on the device thread.
final class LibraryEvidence: UploadEvidence {
    /// File names as bytes, because two names that look alike may be two files.
    typealias Key = [UInt8]

    private let library: [Key: LibraryBook]
    private var byUUID: [String: [LibraryBook]] = [:]
    private var byFile: [Key: LibraryBook] = [:]
    private var byTitle = TitleIndex<Key>()
    private var contents: ContentMatcher?
    private let marks: LibraryMarks?
    private var items: [Int: (file: HostFile, size: UInt64)] = [:]

    /// - Parameters:
    ///   - library: Marvin's present books, as far as they can be seen.
    ///   - contents: compares files; nil does not compare contents.
    ///   - marks: returns the highlights, notes and bookmarks in the books; nil if they are not known.
    init(_ library: [LibraryBook], contents: ContentMatcher? = nil, marks: LibraryMarks? = nil) {
        (self.contents, self.marks) = (contents, marks)
        self.library = Dictionary(
            library.map { ($0.fileName.bytes, $0) }, uniquingKeysWith: { first, _ in first })
        for book in library.reversed() { byFile[book.fileName.lowercased().bytes] = book }
        for book in library {
            if let uuid = book.uuid { byUUID[uuid.lowercased(), default: []].append(book) }
            byTitle.insert(book.fileName.bytes, title: book.title, authors: book.authors)
        }
    }

    /// Sets the measured values of an item. Call before the decision about the item.
    func take(_ item: UploadItem, size: UInt64, _ index: Int) { items[index] = (item.file, size) }

    /// The book for a key.
    func book(_ key: Key) -> LibraryBook? { library[key] }

    /// Whether the library has a file with this name, in any case.
    func hasFile(_ name: String) -> Bool { byFile[name.lowercased().bytes] != nil }

    func book(atPath path: String) -> PresentBook<Key>? { library[path.bytes].map(present) }

    /// Finds books by the library's UUID, or else by the file name, which hosts derive from the UUID.
    func books(withUUID uuid: String) -> [PresentBook<Key>] {
        let books = byUUID[uuid] ?? byFile[(uuid + ".epub").bytes].map { [$0] } ?? []
        return books.map(present)
    }

    func book(
        withContentOf book: IncomingBook, besides claimed: Set<Key>
    ) throws(OverlayError) -> PresentBook<Key>? {
        guard let item = items[book.index] else { return nil }
        // If many books have the same size, only some are compared. Books with the same UUID are compared first,
        // under any name.
        for own in book.uuid.map({ books(withUUID: $0) }) ?? [] where !claimed.contains(own.key) {
            if try hasContent(own, of: book) == true { return own }
        }
        return try contents?.book(item.file, size: item.size, besides: claimed).map(present)
    }

    /// Marvin stores highlights, notes and bookmarks outside the files.
    func changedState(
        of book: IncomingBook, besides claimed: Set<Key>
    ) throws(OverlayError) -> PresentBook<Key>? { nil }

    func books(namedAs book: IncomingBook) throws(OverlayError) -> [NamedBook<Key>] {
        byTitle.books(title: book.title, authors: book.authors).compactMap { key, similarity in
            library[key].map { NamedBook(present($0), similarity, isNear: false) }
        }
    }

    func hasContent(_ present: PresentBook<Key>, of book: IncomingBook) throws(OverlayError) -> Bool? {
        guard let item = items[book.index], let own = library[present.key] else { return nil }
        return try contents?.isSame(own, as: item.file, size: item.size)
    }

    func marks(in present: PresentBook<Key>, replacedBy book: IncomingBook) throws(OverlayError)
        -> ReadingMarks?
    {
        guard let own = library[present.key] else { return nil }
        return try marks?.marks(in: own)
    }

    private func present(_ book: LibraryBook) -> PresentBook<Key> {
        PresentBook(book.fileName.bytes, path: book.fileName, title: book.title, authors: book.authors)
    }
}

/// The highlights, notes and bookmarks in the books of Marvin's library. They are read once, when first needed. Use
/// on the device thread.
final class LibraryMarks {
    private let device: MarvinDevice
    private var annotations: [Int64: [Annotation]]?
    /// Whether the library lacks tables or columns of them.
    private var areIncomplete = false

    /// Creates the marks without reading them.
    init(_ device: MarvinDevice) { self.device = device }

    /// The books of the library, read together with their marks from the same copy; empty if Marvin has not created a
    /// library.
    func libraryBooks() throws(OverlayError) -> [LibraryBook] {
        do throws(OverlayError) {
            let open = try OpenLibrary(device)
            let read = try device.readingLibrary { () throws(DatabaseError) in
                try open.reader.annotations()
            }
            (annotations, areIncomplete) = (read.found, !read.lacks.isEmpty)
            return Array(open.library.books)
        } catch {
            guard error.status == .notFound else { throw error }
            (annotations, areIncomplete) = ([:], false)
            return []
        }
    }

    /// The marks in a book.
    func marks(in book: LibraryBook) throws(OverlayError) -> ReadingMarks {
        if annotations == nil { _ = try libraryBooks() }
        let own = book.id.flatMap { annotations?[$0] } ?? []
        var marks = ReadingMarks(kinds: own.map { $0.kind ?? "highlight" }, progress: book.progress)
        marks.areIncomplete = areIncomplete
        return marks
    }
}
