import BookModel
import OverlayABI

/// The largest values that a reader of books takes.
package struct BookLimits: Sendable {
    /// Bytes of a path.
    package var path: Int
    /// Bytes of any other text but the description.
    package var text: Int
    /// Bytes of the description.
    package var description: Int
    /// Bytes of the cover.
    package var cover: Int
    /// Texts of a list.
    package var texts: Int
    /// Annotations of a book.
    package var annotations: Int
    /// Bytes of all books, counted as in ``BookReader/bytes``.
    package var total: UInt64

    /// Limits for books made in this process.
    static let none = BookLimits(
        path: 1 << 30, text: 1 << 30, description: 1 << 30, cover: 1 << 30, texts: 1 << 30,
        annotations: 1 << 30, total: .max)

    /// Limits.
    package init(
        path: Int, text: Int, description: Int, cover: Int, texts: Int, annotations: Int, total: UInt64
    ) {
        self.path = path
        self.text = text
        self.description = description
        self.cover = cover
        self.texts = texts
        self.annotations = annotations
        self.total = total
    }

    func bytes(_ limit: BookTable.Limit) -> Int {
        switch limit {
        case .path: path
        case .description: description
        case .other: text
        }
    }
}

/// Reads books out of records and counts what they take. Nothing is copied before it has been counted.
///
/// Sizes and counts must fit into 32 bits, which the limits see to.
package struct BookReader {
    /// Bytes that each book, each text of a list and each annotation count beside their texts and cover.
    package struct Overhead: Sendable {
        var book: UInt64
        var element: UInt64
        var annotation: UInt64

        /// The counts.
        package init(book: Int, element: Int, annotation: Int) {
            self.book = UInt64(book)
            self.element = UInt64(element)
            self.annotation = UInt64(annotation)
        }
    }

    private let limits: BookLimits
    private let overhead: Overhead
    /// Bytes that the books up to now take.
    package private(set) var bytes: UInt64 = 0
    /// The last book.
    private var book = PackedBook()
    /// Bytes that a packed book may take before it needs more memory.
    private var room = 4096

    /// A reader that has read nothing.
    package init(
        _ limits: BookLimits, overhead: Overhead = Overhead(book: 0, element: 0, annotation: 0)
    ) {
        self.limits = limits
        self.overhead = overhead
    }

    /// A copy of the book in a record whose missing end is zero.
    package mutating func read(_ record: ovl_book) throws(ViewFault) -> Book { try packed(record).book }

    /// The same, packed. Release it before the next read, which reuses its memory.
    package mutating func packed(_ record: ovl_book) throws(ViewFault) -> PackedBook {
        try count(overhead.book)
        let counted = bytes
        var packer = RecordPacker(limits, overhead, counted: counted)
        book.begin()
        // What a book takes is known when it is packed: one that does not fit is packed once more.
        while true {
            try book.append(room: room, record, &packer)
            guard packer.missing > 0 else { break }
            room += max(room, packer.missing)
            packer = RecordPacker(limits, overhead, counted: counted)
        }
        bytes = packer.counted
        if record.annotations.items != nil || record.annotations.count > 0 {
            book.annotations = try annotations(record.annotations)
        }
        return book
    }

    private mutating func count(_ more: UInt64) throws(ViewFault) {
        let (sum, overflow) = bytes.addingReportingOverflow(more)
        guard !overflow, sum <= limits.total else { throw .totalBytes(limit: limits.total) }
        bytes = sum
    }

    private mutating func counted(
        _ view: ovl_text, _ name: @autoclosure () -> String, limit: Int
    ) throws(ViewFault) -> String? {
        guard view.data != nil || view.size != 0 else { return nil }
        guard view.size <= UInt64(limit) else { throw .tooManyBytes(name(), view.size, limit: limit) }
        try count(view.size)
        return try view.copy(name(), limit: limit)
    }

    private mutating func annotations(_ list: ovl_list) throws(ViewFault) -> [Annotation] {
        var annotations: [Annotation] = []
        var reader = self
        try list.forEach(
            ovl_annotation.self, "annotations", limit: limits.annotations, smallest: ovl_annotation.smallest,
            fault: { $0 }
        ) { (record) throws(ViewFault) in
            try reader.count(reader.overhead.annotation)
            annotations.append(try reader.annotation(record))
        }
        bytes = reader.bytes
        return annotations
    }

    private mutating func annotation(_ record: ovl_annotation) throws(ViewFault) -> Annotation {
        Annotation(
            kind: try counted(record.kind, "annotation.kind", limit: limits.text),
            location: try counted(record.location, "annotation.location", limit: limits.text),
            text: try counted(record.text, "annotation.text", limit: limits.text),
            note: try counted(record.note, "annotation.note", limit: limits.text),
            color: try counted(record.color, "annotation.color", limit: limits.text),
            modified: record.flags & OVL_ANNOTATION_HAS_MODIFIED != 0 ? record.modified : nil)
    }
}
