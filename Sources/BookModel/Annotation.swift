/// A highlight, note or bookmark of a reader; the Swift form of `ovl_annotation`.
///
/// ```swift
/// let note = Annotation(kind: "note", location: "chapter 3", note: "Compare with the letter.")
/// let book = Book(title: "Emma", annotations: [note])
/// print(book.annotations.compactMap(\.note))
/// ```
public struct Annotation: Hashable, Sendable {
    /// `highlight`, `note` or `bookmark`. Later minor versions may add values.
    public var kind: String?
    /// The location in the form that the reader app uses, such as an EPUB CFI, a page or a chapter.
    public var location: String?
    /// The marked text of the book.
    public var text: String?
    /// The text that the user wrote.
    public var note: String?
    /// The name that the reader app uses for the colour.
    public var color: String?
    /// The time of the last change, in seconds since 1970-01-01 00:00 UTC.
    public var modified: Int64?
    /// The author, for readers with several users. Overlays cannot report it.
    public var author: String?

    /// Creates an annotation with the given values. All other values are unknown.
    public init(
        kind: String? = nil, location: String? = nil, text: String? = nil, note: String? = nil,
        color: String? = nil, modified: Int64? = nil, author: String? = nil
    ) {
        self.kind = kind
        self.location = location
        self.text = text
        self.note = note
        self.color = color
        self.modified = modified
        self.author = author
    }
}
