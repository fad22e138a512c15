import OverlayABI

/// Something a person left in a book: a highlight, a note, a bookmark; checked and copied out of the overlay.
public struct BookAnnotation: Sendable, Equatable {
    /// `highlight`, `note` or `bookmark`; may be a word of a later minor version.
    public var kind: String?
    /// Where it is, as the reader app names places.
    public var location: String?
    /// The words of the book it marks.
    public var text: String?
    /// What the person wrote.
    public var note: String?
    /// Its colour, as the reader app names it.
    public var color: String?
    /// When it was changed last: seconds since 1970-01-01 00:00 UTC.
    public var modified: Int64?

    /// An annotation of which nothing is known yet.
    public init() {}
}

extension BookAnnotation {
    /// Copies of the annotations of a book, with what they take added to `bytes`.
    @inline(never)
    static func read(_ list: ovl_list, _ bytes: inout UInt64) throws(ContractBreach) -> [BookAnnotation] {
        // As many texts as a booklist may hold bytes must not be copied before they are counted.
        var sum = bytes
        let limit = UInt64(BoundaryLimits.booklistBytes)
        let annotations = try list.read(
            ovl_annotation.self, "annotations", limit: BoundaryLimits.annotations
        ) { record throws(ContractBreach) in
            for text in [record.kind, record.location, record.text, record.note, record.color] {
                sum += min(text.size, limit)
            }
            sum += UInt64(BoundaryLimits.annotationOverhead)
            guard sum <= limit else {
                throw ContractBreach(.limit, "the booklist is larger than \(limit) bytes")
            }
            var annotation = BookAnnotation()
            annotation.kind = try record.kind.read("annotation.kind")
            annotation.location = try record.location.read("annotation.location")
            annotation.text = try record.text.read("annotation.text")
            annotation.note = try record.note.read("annotation.note")
            annotation.color = try record.color.read("annotation.color")
            if record.flags & OVL_ANNOTATION_HAS_MODIFIED != 0 { annotation.modified = record.modified }
            return annotation
        }
        bytes = sum
        return annotations
    }
}

extension CallMemory {
    /// The ABI's record of an annotation.
    func annotation(_ annotation: BookAnnotation) -> ovl_annotation {
        var record = ovl_annotation.sized()
        record.kind = text(annotation.kind)
        record.location = text(annotation.location)
        record.text = text(annotation.text)
        record.note = text(annotation.note)
        record.color = text(annotation.color)
        record.modified = annotation.modified ?? 0
        if annotation.modified != nil { record.flags = OVL_ANNOTATION_HAS_MODIFIED }
        return record
    }
}
