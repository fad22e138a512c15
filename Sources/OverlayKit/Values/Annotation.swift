/// Something a person left in a book: a highlight, a note, a bookmark; the Swift form of `ovl_annotation`.
public struct Annotation: Hashable, Sendable {
    /// `highlight`, `note` or `bookmark`.
    public var kind: String?
    /// Where it is, as the reader app names places: an EPUB CFI, a page, a chapter.
    public var location: String?
    /// The words of the book it marks.
    public var text: String?
    /// What the person wrote.
    public var note: String?
    /// Its colour, as the reader app names it.
    public var color: String?
    /// When it was changed last, in seconds since 1970-01-01 00:00 UTC.
    public var modified: Int64?

    /// An annotation of which only what is given here is known.
    public init(
        kind: String? = nil, location: String? = nil, text: String? = nil, note: String? = nil,
        color: String? = nil, modified: Int64? = nil
    ) {
        self.kind = kind
        self.location = location
        self.text = text
        self.note = note
        self.color = color
        self.modified = modified
    }
}
