/// A highlight, note or bookmark of a reader; the Swift form of `ovl_annotation`.
///
///     let note = Annotation(kind: "note", location: "chapter 3", note: "Compare with the letter.")
///     let book = Book(title: "Emma", annotations: [note])
public struct Annotation: Hashable, Sendable {
    /// `highlight`, `note` or `bookmark`; later minor versions may add words.
    public var kind: String?
    /// Where it is, as the reader app names places: an EPUB CFI, a page, a chapter.
    public var location: String?
    /// The marked words of the book.
    public var text: String?
    /// What the reader wrote.
    public var note: String?
    /// Its colour, as the reader app names it.
    public var color: String?
    /// When it was last changed, in seconds since 1970-01-01 00:00 UTC.
    public var modified: Int64?
    /// Who left it, where several people may; overlays cannot tell.
    public var author: String?

    /// An annotation with the given values; all others are unknown.
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
