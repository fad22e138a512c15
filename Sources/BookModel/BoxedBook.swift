/// Keeps a book that is often missing out of the value that has it, so that large lists of such values stay small.
///
/// ```swift
/// struct Finding {
///     @BoxedBook var book: Book?
/// }
/// ```
@propertyWrapper
public struct BoxedBook: Hashable, Sendable {
    private final class Box: Sendable {
        let book: Book
        init(_ book: Book) { self.book = book }
    }

    private var box: Box?

    /// A place with a book, or without one.
    public init(wrappedValue: Book? = nil) { box = wrappedValue.map(Box.init) }

    /// The book.
    public var wrappedValue: Book? {
        get { box?.book }
        set { box = newValue.map(Box.init) }
    }

    /// Whether two places have equal books, or none.
    public static func == (one: BoxedBook, other: BoxedBook) -> Bool {
        one.box === other.box || one.wrappedValue == other.wrappedValue
    }

    /// Feeds the book to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
