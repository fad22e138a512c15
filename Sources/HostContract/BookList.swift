import BookModel
import OverlayBridge

/// The checked and copied books of a reader app, in the order of its library.
///
/// Books are stored in packed form and created at each access. A listing of 100,000 books needs only as many bytes as
/// their values, and strings are created only for display.
public struct BookList: RandomAccessCollection, Sendable {
    private var runs = ByteRuns()
    /// The annotations of the books that have any, by position.
    private var annotations: [Int: [Annotation]] = [:]
    private var paths = PathPositions()

    /// Creates an empty list.
    public init() {}

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of books.
    public var endIndex: Int { runs.count }

    /// The book at a position.
    public subscript(position: Int) -> BookRecord {
        var book = runs.withBytes(at: position) { PackedBook.book(in: $0) }
        if let annotations = annotations[position] { book.annotations = annotations }
        return BookRecord(path: book.path ?? "", book)
    }

    /// The position of the book with this path; nil if there is none. Paths are compared by their bytes, as in iOS.
    public func position(ofPath path: String) -> Int? {
        var path = path
        return path.withUTF8 {
            let path = UnsafeRawBufferPointer($0)
            return find(path, PathPositions.hash(path))
        }
    }

    /// Appends a book. Returns false if the list already contains a book with this path, or if the book has no path.
    package mutating func append(_ book: PackedBook) -> Bool {
        let hash = book.bytes.withUnsafeBytes { bytes -> UInt32? in
            guard let path = PackedBook.path(in: bytes) else { return nil }
            let hash = PathPositions.hash(path)
            return find(path, hash) == nil ? hash : nil
        }
        guard let hash else { return false }
        paths.append(hash)
        if !book.annotations.isEmpty { annotations[count] = book.annotations }
        runs.append(book.bytes)
        return true
    }

    /// The position of the book with this path, whose hash is given; nil if there is none.
    @inline(__always)
    private func find(_ path: UnsafeRawBufferPointer, _ hash: UInt32) -> Int? {
        paths.position(of: hash) { position in
            runs.withBytes(at: position) { bytes in
                PackedBook.path(in: bytes).map { $0.elementsEqual(path) } ?? false
            }
        }
    }
}

extension [BookRecord] {
    /// The booklist after the edits. New books are at the end.
    package func applying(_ edits: [BooklistEdit]) -> [BookRecord] {
        var books = self.map { Optional($0) }
        var added: [BookRecord] = []
        for edit in edits {
            switch edit {
            case .insert(let book): added.append(BookRecord(path: book.path ?? "", book))
            case .replace(let index, let book): books[index] = BookRecord(path: book.path ?? "", book)
            case .remove(let index): books[index] = nil
            }
        }
        return books.compactMap { $0 } + added
    }
}
