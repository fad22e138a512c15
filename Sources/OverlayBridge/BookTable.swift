import BookModel
import OverlayABI

/// Where each value of a ``Book`` is in the book and in an `ovl_book`: the table of the book's fields joined with the table of
/// signatures.
///
/// A listing reads and writes some dozen values of each of thousands of books, so that a row holds places in memory instead of
/// key paths: a value is reached without a copy of the book and without a reference count.
enum BookTable {
    /// One value.
    struct Row: BitwiseCopyable, Sendable {
        /// The index of its name in `names`.
        var name: Int
        var kind: Kind
        /// Which limit counts for a text.
        var limit: Limit
        /// Bytes from the start of the ``Book``.
        var place: Int
        /// Bytes from the start of the record.
        var offset: Int
        /// The bit of `flags` that says the value is present; 0 for views, which show it themselves.
        var flag: UInt32
    }

    /// What a value is, as in ``BookField/Value``.
    enum Kind: BitwiseCopyable, Sendable { case text, texts, number, count, time, flag, bytes }

    /// The limits of texts.
    enum Limit: BitwiseCopyable, Sendable { case path, description, other }

    /// All values that the contract has.
    static let rows: [Row] = {
        var count: UInt32 = 0
        let signatures = ovl_signatures_v1(&count)
        let records = UnsafeBufferPointer(start: signatures, count: Int(count)).map(\.pointee)
        guard let record = records.first(where: { String(cString: $0.name) == "ovl_book" }) else { return [] }
        let fields = UnsafeBufferPointer(start: record.fields, count: Int(record.field_count))
        return fields.compactMap { described in
            let name = String(cString: described.name)
            guard let index = names.firstIndex(of: name), let (kind, place) = place(of: Book.fields[index])
            else {
                return nil
            }
            let isLong = ["description", "extra"].contains(name)
            let limit: Limit = name == "path" ? .path : isLong ? .description : .other
            return Row(
                name: index, kind: kind, limit: limit, place: place, offset: Int(described.offset),
                flag: described.flag)
        }
    }()

    /// The names of the book's fields, in their order.
    static let names = Book.fields.map(\.name)

    /// Where a stored value is in a ``Book``; nil for a computed one, which has no place.
    private static func place(of field: BookField) -> (Kind, Int)? {
        let (kind, place): (Kind, Int?) =
            switch field.value {
            case .text(let path): (.text, MemoryLayout<Book>.offset(of: path))
            case .texts(let path): (.texts, MemoryLayout<Book>.offset(of: path))
            case .number(let path): (.number, MemoryLayout<Book>.offset(of: path))
            case .count(let path): (.count, MemoryLayout<Book>.offset(of: path))
            case .time(let path): (.time, MemoryLayout<Book>.offset(of: path))
            case .flag(let path): (.flag, MemoryLayout<Book>.offset(of: path))
            case .bytes(let path): (.bytes, MemoryLayout<Book>.offset(of: path))
            }
        return place.map { (kind, $0) }
    }
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

    fileprivate func bytes(_ limit: BookTable.Limit) -> Int {
        switch limit {
        case .path: path
        case .description: description
        case .other: text
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
        // Both stay where they are while their bytes are looked at, since nothing else can change local copies.
        try withUnsafeBytes(of: record) { (bytes) throws(ViewFault) in
            try withUnsafeMutablePointer(to: &book) { (book) throws(ViewFault) in
                for row in BookTable.rows {
                    try read(row, of: bytes, record.flags, into: UnsafeMutableRawPointer(book) + row.place)
                }
            }
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

    /// Reads one value into its place in a book.
    private mutating func read(
        _ row: BookTable.Row, of record: UnsafeRawBufferPointer, _ flags: UInt32,
        into place: UnsafeMutableRawPointer
    ) throws(ViewFault) {
        func set<Value>(_ value: Value) {
            place.assumingMemoryBound(to: Value?.self).pointee = value
        }
        let isSet = flags & row.flag != 0
        switch row.kind {
        case .text:
            let view = record.load(fromByteOffset: row.offset, as: ovl_text.self)
            guard
                let text = try counted(view, BookTable.names[row.name], limit: limits.bytes(row.limit))
            else { return }
            set(text)
        case .texts:
            let view = record.load(fromByteOffset: row.offset, as: ovl_texts.self)
            guard let texts = try self.texts(view, BookTable.names[row.name]) else { return }
            set(texts)
        case .bytes:
            let view = record.load(fromByteOffset: row.offset, as: ovl_bytes.self)
            guard let image = try view.buffer(BookTable.names[row.name], limit: limits.cover) else { return }
            try count(UInt64(image.count))
            set([UInt8](image))
        case .number:
            if isSet { set(record.load(fromByteOffset: row.offset, as: Double.self)) }
        case .count:
            if isSet { set(record.load(fromByteOffset: row.offset, as: UInt64.self)) }
        case .time:
            if isSet { set(record.load(fromByteOffset: row.offset, as: Int64.self)) }
        case .flag:
            if isSet { set(record.load(fromByteOffset: row.offset, as: UInt32.self) != 0) }
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

    private mutating func texts(
        _ view: ovl_texts, _ name: @autoclosure () -> String
    ) throws(ViewFault) -> [String]? {
        guard let items = try view.buffer(name(), limit: limits.texts) else { return nil }
        try count(overhead.element * UInt64(items.count))
        var texts: [String] = []
        texts.reserveCapacity(items.count)
        for item in items {
            guard let text = try counted(item, name(), limit: limits.text) else { throw .absent(name()) }
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
        withUnsafePointer(to: book) { book in
            withUnsafeMutableBytes(of: &record) { bytes in
                func put(_ value: some BitwiseCopyable, _ row: BookTable.Row) {
                    bytes.storeBytes(of: value, toByteOffset: row.offset, as: type(of: value))
                    flags |= row.flag
                }
                /// The value of a row; nil if the book does not have it.
                func value<Value>(_ row: BookTable.Row, _: Value.Type) -> Value? {
                    (UnsafeRawPointer(book) + row.place).assumingMemoryBound(to: Value?.self).pointee
                }
                for row in BookTable.rows {
                    switch row.kind {
                    case .text: if let text = value(row, String.self) { put(self.text(text), row) }
                    case .texts: if let texts = value(row, [String].self) { put(self.texts(texts), row) }
                    case .bytes: if let image = value(row, [UInt8].self) { put(self.bytes(image), row) }
                    case .number: if let number = value(row, Double.self) { put(number, row) }
                    case .count: if let count = value(row, UInt64.self) { put(count, row) }
                    case .time: if let time = value(row, Int64.self) { put(time, row) }
                    case .flag: if let flag = value(row, Bool.self) { put(UInt32(flag ? 1 : 0), row) }
                    }
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
