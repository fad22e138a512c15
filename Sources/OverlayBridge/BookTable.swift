import BookModel
import OverlayABI

/// The place of each value in a ``Book`` and in an `ovl_book`, from the book's fields and the table of signatures.
///
/// A listing reads and writes dozens of values for thousands of books. Therefore a row contains memory offsets
/// instead of key paths, so that a value is accessed without copying the book or changing a reference count.
enum BookTable {
    /// The place of one value.
    struct Row: BitwiseCopyable, Sendable {
        /// The index of the name in `names`.
        var name: Int
        var kind: Kind
        /// The limit for a text.
        var limit: Limit
        /// The offset in the ``Book``, in bytes.
        var place: Int
        /// The offset in the record, in bytes.
        var offset: Int
        /// The bit of `flags` that marks the value as present; 0 for views, which may be absent themselves.
        var flag: UInt32
    }

    /// What reading a value from a record needs, in few bytes, because a listing does it for each value of each book.
    struct Place: BitwiseCopyable, Sendable {
        /// The bit of `flags` that marks the value as present; 0 for views, which may be absent themselves.
        var flag: UInt32
        /// The offset in the record, in bytes.
        var offset: UInt16
        var kind: Kind
        /// The limit for a text.
        var limit: Limit

        /// The offset in the record, in bytes.
        var start: Int {
            @inline(__always) get { Int(offset) }
        }
    }

    /// The type of a value, as in ``BookField/Value``.
    enum Kind: BitwiseCopyable, Sendable { case text, texts, number, count, time, flag, bytes }

    /// The limits of texts.
    enum Limit: BitwiseCopyable, Sendable { case path, description, other }

    /// All values in the contract.
    ///
    /// Unsafe: constant after its creation, and never freed. An array would be retained for each book.
    nonisolated(unsafe) static let rows = constant(described)

    /// The places of all values in the record, in the order of `rows`.
    ///
    /// Unsafe: constant after its creation, and never freed, like `rows`.
    nonisolated(unsafe) static let places = constant(
        rows.map { Place(flag: $0.flag, offset: UInt16($0.offset), kind: $0.kind, limit: $0.limit) })

    /// The name of the value in a row.
    static func title(_ row: Int) -> String { names[rows[row].name] }

    private static func constant<Element>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = memory.initialize(from: elements)
        return UnsafeBufferPointer(memory)
    }

    private static var described: [Row] {
        var count: UInt32 = 0
        let signatures = ovl_signatures_v1(&count)
        let records = UnsafeBufferPointer(start: signatures, count: Int(count)).map(\.pointee)
        guard let record = records.first(where: { String(cString: $0.name) == "ovl_book" }) else { return [] }
        let fields = UnsafeBufferPointer(start: record.fields, count: Int(record.field_count))
        return fields.compactMap { described in
            let name = String(cString: described.name)
            guard let index = names.firstIndex(of: name) else { return nil }
            let field = Book.fields[index]
            let isLong = ["description", "extra"].contains(name)
            let limit: Limit = name == "path" ? .path : isLong ? .description : .other
            return Row(
                name: index, kind: kind(of: field), limit: limit, place: field.offset,
                offset: Int(described.offset), flag: described.flag)
        }
    }

    /// The names of the book's fields in order.
    static let names = Book.fields.map(\.name)

    private static func kind(of field: BookField) -> Kind {
        switch field.value {
        case .text: .text
        case .texts: .texts
        case .number: .number
        case .count: .count
        case .time: .time
        case .flag: .flag
        case .bytes: .bytes
        }
    }
}

extension Arena {
    /// Creates the record of a book, with views into the arena.
    package func record(_ book: Book) -> ovl_book {
        var record = ovl_book.sized()
        write(book, to: &record)
        return record
    }

    /// Writes the values of a book into a zeroed record, with views into the arena.
    package func write(_ book: borrowing Book, to record: inout ovl_book) {
        record.flags = withUnsafePointer(to: book) { book in
            withUnsafeMutableBytes(of: &record) { bytes in
                var flags: UInt32 = 0
                for row in BookTable.rows where put(row, of: book, into: bytes) { flags |= row.flag }
                return flags
            }
        }
        if !book.annotations.isEmpty {
            record.annotations = list(book.annotations) { self.record($0) }
        }
    }

    /// Writes a value into a record. Returns false if the book does not have the value.
    @inline(__always)
    private func put(
        _ row: BookTable.Row, of book: UnsafeRawPointer, into record: UnsafeMutableRawBufferPointer
    ) -> Bool {
        func value<Value>(_: Value.Type) -> Value? {
            (book + row.place).assumingMemoryBound(to: Value?.self).pointee
        }
        func lent<Value>(_: Value.Type) -> UnsafePointer<Lent<Value?>> {
            (book + row.place).assumingMemoryBound(to: Lent<Value?>.self)
        }
        func store(_ value: some BitwiseCopyable) {
            record.storeBytes(of: value, toByteOffset: row.offset, as: type(of: value))
        }
        switch row.kind {
        case .text:
            let view = text(lent: lent(String.self).pointee)
            guard view.data != nil else { return false }
            store(view)
        case .texts:
            let view = texts(lent: lent([String].self).pointee)
            guard view.items != nil else { return false }
            store(view)
        case .bytes:
            guard let image = value([UInt8].self) else { return false }
            store(bytes(image))
        case .number:
            guard let number = value(Double.self) else { return false }
            store(number)
        case .count:
            guard let count = value(UInt64.self) else { return false }
            store(count)
        case .time:
            guard let time = value(Int64.self) else { return false }
            store(time)
        case .flag:
            guard let flag = value(Bool.self) else { return false }
            store(UInt32(flag ? 1 : 0))
        }
        return true
    }

    /// Creates the record of an annotation, with views into the arena.
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
