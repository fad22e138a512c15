import BookModel
import OverlayABI

/// The limits for reading books.
package struct BookLimits: Sendable {
    /// The size of a path in bytes.
    package var path: Int
    /// The size of any other text except the description, in bytes.
    package var text: Int
    /// The size of the description in bytes.
    package var description: Int
    /// The size of the cover in bytes.
    package var cover: Int
    /// The number of texts in a list.
    package var texts: Int
    /// The number of annotations of a book.
    package var annotations: Int
    /// The size of all books, counted as in ``BookReader/bytes``.
    package var total: UInt64

    /// The limits for books that were created in this process.
    static let none = BookLimits(
        path: 1 << 30, text: 1 << 30, description: 1 << 30, cover: 1 << 30, texts: 1 << 30,
        annotations: 1 << 30, total: .max)

    /// Creates limits.
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

/// Reads books from records and counts their sizes. Each value is counted before it is copied.
///
/// Sizes and counts must fit into 32 bits, which the limits ensure.
package struct BookReader {
    /// The bytes that count for each book, text of a list and annotation, in addition to their texts and cover.
    package struct Overhead: Sendable {
        var book: UInt64
        var element: UInt64
        var annotation: UInt64

        /// Creates the overhead from its numbers.
        package init(book: Int, element: Int, annotation: Int) {
            self.book = UInt64(book)
            self.element = UInt64(element)
            self.annotation = UInt64(annotation)
        }
    }

    private let limits: BookLimits
    private let overhead: Overhead
    /// The size of the books read so far, in bytes.
    package private(set) var bytes: UInt64 = 0
    /// The last book.
    private var book = PackedBook()
    /// The capacity in bytes for a packed book, which grows if necessary.
    private var room = usualRoom
    /// A capacity in bytes that is sufficient for most books.
    private static let usualRoom = 4096

    /// Creates a reader.
    package init(
        _ limits: BookLimits, overhead: Overhead = Overhead(book: 0, element: 0, annotation: 0)
    ) {
        self.limits = limits
        self.overhead = overhead
    }

    /// Copies the book in a record that is zero after its last known field.
    package mutating func read(_ record: ovl_book) throws(ViewFault) -> Book { try packed(record).book }

    /// Packs the book in a record. Release the result before the next read, which reuses its memory.
    package mutating func packed(_ record: ovl_book) throws(ViewFault) -> PackedBook {
        try count(overhead.book)
        var record = record
        return try packed(&record)
    }

    /// Packs the book in a record at the end of `runs`, and returns its annotations.
    ///
    /// - Parameter record: not changed; `inout` avoids a copy.
    package mutating func append(
        _ record: inout ovl_book, to runs: inout ByteRuns
    ) throws(ViewFault) -> [Annotation] {
        try count(overhead.book)
        var packer = RecordPacker(limits, overhead, counted: bytes)
        let flags = record.flags
        try runs.append(room: Self.usualRoom) { (memory) throws(ViewFault) in
            try withUnsafeBytes(of: &record) { (bytes) throws(ViewFault) in
                try packer.pack(bytes, flags, into: memory)
            }
        }
        guard packer.missing == 0 else {
            let book = try packed(&record)
            runs.append(book.bytes)
            return book.annotations
        }
        bytes = packer.counted
        return try annotations(record.annotations)
    }

    /// Packs a book for which `overhead.book` has been counted.
    private mutating func packed(_ record: inout ovl_book) throws(ViewFault) -> PackedBook {
        let counted = bytes
        var packer = RecordPacker(limits, overhead, counted: counted)
        book.begin()
        // The size of a book is known after packing. If the book does not fit, pack it again.
        while true {
            try book.append(room: room, &record, &packer)
            guard packer.missing > 0 else { break }
            room += max(room, packer.missing)
            packer = RecordPacker(limits, overhead, counted: counted)
        }
        bytes = packer.counted
        book.annotations = try annotations(record.annotations)
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
        guard list.items != nil || list.count > 0 else { return [] }
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
