import BookModel
import OverlayABI
import OverlayBridge
import Platform

/// The checked and copied books of a reader app, in the order of its library.
///
/// Books are stored in packed form and created at each access. A listing of 100,000 books needs only as many bytes as
/// their values, and strings are created only for display.
///
/// ```swift
/// func title(of path: String, in books: BookList) -> String? {
///     guard let position = books.position(ofPath: path) else { return nil }
///     return books[position].title
/// }
/// ```
public struct BookList: RandomAccessCollection, Sendable {
    private var runs = ByteRuns()
    /// The annotations of the books that have any, by position.
    private var annotations: [Int: [Annotation]] = [:]
    private var paths = HashIndex()

    /// Creates an empty list.
    public init() {}

    /// Creates a list of books that do not come from an overlay, for tests.
    ///
    /// - Throws: the first rule of the contract that a book breaks, also that no two books have the same path.
    package init(_ books: [Book]) throws(ContractBreach) {
        var checker = BookChecker()
        for book in books {
            let arena = Arena()
            var record = arena.record(book)
            try append(&record, &checker)
            withExtendedLifetime(arena) {}
        }
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of books.
    public var endIndex: Int { runs.count }

    /// The book at a position.
    public subscript(position: Int) -> BookRecord {
        let book = book(at: position)
        return BookRecord(path: book.path ?? "", book)
    }

    /// The values of the book at a position.
    package func book(at position: Int) -> Book {
        var book = runs.withBytes(at: position) { PackedBook.book(in: $0) }
        if let annotations = annotations[position] { book.annotations = annotations }
        return book
    }

    /// A digest of all values of the book at a position, except its annotations. It can be stored: as long as it is
    /// equal, the values count as unchanged. It depends on the form of ``PackedBook``; if that changes, all digests do.
    package func digest(at position: Int) -> UInt64 { runs.withBytes(at: position) { FNV1a.of($0) } }

    /// The position of the book with this path; nil if there is none. Paths are compared by their bytes, as in iOS.
    public func position(ofPath path: String) -> Int? {
        var path = path
        return path.withUTF8 {
            let path = UnsafeRawBufferPointer($0)
            return paths.position(of: HashIndex.hash(path)) { isPath(path, at: $0) }
        }
    }

    /// Checks the book in a record and appends it.
    ///
    /// - Parameter record: may be completed with the size of its cover.
    /// - Throws: the first rule that the record breaks, also that no two books have the same path.
    package mutating func append(
        _ record: inout ovl_book, _ checker: inout BookChecker
    ) throws(ContractBreach) {
        let before = count
        let added: [Annotation]
        do throws(ContractBreach) {
            added = try checker.append(&record, to: &runs)
        } catch {
            if count > before { runs.removeLast() }
            throw error
        }
        let hash = runs.withBytes(at: before) { HashIndex.hash(Self.path(in: $0)) }
        let twin = paths.position(of: hash) { position in
            runs.withBytes(at: before) { isPath(Self.path(in: $0), at: position) }
        }
        if let twin {
            runs.removeLast()
            throw ContractBreach(.bookTwice, "Two books have the path \(self[twin].path).")
        }
        paths.insert(hash, at: before)
        if !added.isEmpty { annotations[before] = added }
    }

    /// The path in the bytes of a book.
    @inline(__always)
    private static func path(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        PackedBook.path(in: bytes) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Whether the book at a position has this path.
    private func isPath(_ path: UnsafeRawBufferPointer, at position: Int) -> Bool {
        runs.withBytes(at: position) { Self.path(in: $0).elementsEqual(path) }
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
