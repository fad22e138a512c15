import BookModel
import OverlayABI

/// Where each value of a ``Book`` is in an `ovl_book`: the table of the book's fields joined with the table of signatures.
enum BookTable {
    /// One value.
    struct Row: Sendable {
        var field: BookField
        /// Bytes from the start of the record.
        var offset: Int
        /// The bit of `flags` that says the value is present; 0 for views, which show it themselves.
        var flag: UInt32
    }

    /// All values that the contract has.
    static let rows: [Row] = {
        var count: UInt32 = 0
        let signatures = ovl_signatures_v1(&count)
        let records = UnsafeBufferPointer(start: signatures, count: Int(count)).map(\.pointee)
        guard let record = records.first(where: { String(cString: $0.name) == "ovl_book" }) else { return [] }
        let fields = UnsafeBufferPointer(start: record.fields, count: Int(record.field_count))
        return fields.compactMap { described in
            Book.field(String(cString: described.name)).map { field in
                Row(field: field, offset: Int(described.offset), flag: described.flag)
            }
        }
    }()
}

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

    fileprivate func bytes(of field: BookField) -> Int {
        switch field.name {
        case "path": path
        case "description": description
        default: text
        }
    }
}

/// Reads books out of records and counts what they take. Nothing is copied before it has been counted.
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

    /// A reader that has read nothing.
    package init(
        _ limits: BookLimits, overhead: Overhead = Overhead(book: 0, element: 0, annotation: 0)
    ) {
        self.limits = limits
        self.overhead = overhead
    }

    /// A copy of the book in a record whose missing end is zero.
    package mutating func read(_ record: ovl_book) throws(ViewFault) -> Book {
        try count(overhead.book)
        var book = Book()
        // The record stays where it is while its bytes are looked at, since nothing else can change a local copy.
        try withUnsafeBytes(of: record) { (bytes) throws(ViewFault) in
            for row in BookTable.rows { try read(row, of: bytes, record.flags, into: &book) }
        }
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

    private mutating func read(
        _ row: BookTable.Row, of record: UnsafeRawBufferPointer, _ flags: UInt32, into book: inout Book
    ) throws(ViewFault) {
        let name = row.field.name
        let isSet = flags & row.flag != 0
        switch row.field.value {
        case .text(let path):
            let view = record.load(fromByteOffset: row.offset, as: ovl_text.self)
            guard let text = try counted(view, name, limit: limits.bytes(of: row.field)) else { return }
            book[keyPath: path] = text
        case .texts(let path):
            let view = record.load(fromByteOffset: row.offset, as: ovl_texts.self)
            guard let texts = try self.texts(view, name) else { return }
            book[keyPath: path] = texts
        case .bytes(let path):
            let view = record.load(fromByteOffset: row.offset, as: ovl_bytes.self)
            guard let image = try view.buffer(name, limit: limits.cover) else { return }
            try count(UInt64(image.count))
            book[keyPath: path] = [UInt8](image)
        case .number(let path):
            if isSet { book[keyPath: path] = record.load(fromByteOffset: row.offset, as: Double.self) }
        case .count(let path):
            if isSet { book[keyPath: path] = record.load(fromByteOffset: row.offset, as: UInt64.self) }
        case .time(let path):
            if isSet { book[keyPath: path] = record.load(fromByteOffset: row.offset, as: Int64.self) }
        case .flag(let path):
            if isSet { book[keyPath: path] = record.load(fromByteOffset: row.offset, as: UInt32.self) != 0 }
        }
    }

    private mutating func counted(
        _ view: ovl_text, _ name: @autoclosure () -> String, limit: Int
    ) throws(ViewFault) -> String? {
        guard view.data != nil || view.size != 0 else { return nil }
        guard view.size <= UInt64(limit) else { throw .tooManyBytes(name(), view.size, limit: limit) }
        try count(view.size)
        return try view.copy(name(), limit: limit)
    }

    private mutating func texts(_ view: ovl_texts, _ name: String) throws(ViewFault) -> [String]? {
        guard let items = try view.buffer(name, limit: limits.texts) else { return nil }
        try count(overhead.element * UInt64(items.count))
        var texts: [String] = []
        texts.reserveCapacity(items.count)
        for item in items {
            guard let text = try counted(item, name, limit: limits.text) else { throw .absent(name) }
            texts.append(text)
        }
        return texts
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
        self = reader
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

extension Arena {
    /// The record of a book, with views into the arena.
    package func record(_ book: Book) -> ovl_book {
        var record = ovl_book.sized()
        var flags: UInt32 = 0
        withUnsafeMutableBytes(of: &record) { bytes in
            func put(_ value: some BitwiseCopyable, _ row: BookTable.Row) {
                bytes.storeBytes(of: value, toByteOffset: row.offset, as: type(of: value))
                flags |= row.flag
            }
            for row in BookTable.rows {
                switch row.field.value {
                case .text(let path): if let text = book[keyPath: path] { put(self.text(text), row) }
                case .texts(let path): if let texts = book[keyPath: path] { put(self.texts(texts), row) }
                case .bytes(let path): if let image = book[keyPath: path] { put(self.bytes(image), row) }
                case .number(let path): if let number = book[keyPath: path] { put(number, row) }
                case .count(let path): if let count = book[keyPath: path] { put(count, row) }
                case .time(let path): if let time = book[keyPath: path] { put(time, row) }
                case .flag(let path): if let flag = book[keyPath: path] { put(UInt32(flag ? 1 : 0), row) }
                }
            }
        }
        record.flags = flags
        if !book.annotations.isEmpty {
            record.annotations = list(book.annotations) { self.record($0) }
        }
        return record
    }

    /// The record of an annotation, with views into the arena.
    package func record(_ annotation: Annotation) -> ovl_annotation {
        var record = ovl_annotation.sized()
        record.kind = text(annotation.kind)
        record.location = text(annotation.location)
        record.text = text(annotation.text)
        record.note = text(annotation.note)
        record.color = text(annotation.color)
        if let modified = annotation.modified {
            record.modified = modified
            record.flags = OVL_ANNOTATION_HAS_MODIFIED
        }
        return record
    }
}
