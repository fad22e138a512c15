/// The books of a reader app, checked and copied out of the overlay, in the order of its library.
///
/// The texts of all books lie together in a few blocks of memory and become strings when a book is taken out, so that a
/// long list costs neither much time nor a dozen allocations per book.
public struct BookList: RandomAccessCollection, Sendable {
    private let storage: BookStorage?

    /// A list without books.
    public init() { storage = nil }

    init(_ storage: BookStorage) { self.storage = storage }

    /// 0.
    public var startIndex: Int { 0 }
    /// How many books there are.
    public var endIndex: Int { storage?.count ?? 0 }

    /// The book at a position; makes its strings anew each time.
    public subscript(position: Int) -> BookRecord {
        guard let storage else { preconditionFailure("The list has no books.") }
        return storage[position]
    }

    /// The position of the book with this path; nil if there is none.
    public func position(ofPath path: String) -> Int? {
        var path = path
        return path.withUTF8 { bytes in
            storage.flatMap { $0.position(of: UnsafeRawPointer(bytes.baseAddress), bytes.count) }
        }
    }
}
