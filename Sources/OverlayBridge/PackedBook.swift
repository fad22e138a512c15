import BookModel
import CBOR
import OverlayABI

/// A book as a CBOR sequence (RFC 8742) that contains only the values that are present. Used in long booklists.
///
/// The first item is an integer of nine bytes with a bit for each value of `BookTable` that is present. The values
/// follow in the order of the table. Annotations are stored separately, because few books have them.
package struct PackedBook: Sendable {
    /// The packed bytes.
    package private(set) var bytes: [UInt8] = []
    /// Highlights, notes and bookmarks.
    package var annotations: [Annotation] = []

    /// A copy of the bytes in memory of the exact size. A slice would keep the capacity that was used for packing.
    package var compactBytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes.count) { memory, written in
            written = memory.initialize(fromContentsOf: bytes)
        }
    }

    init() {}

    /// Packs a book whose values do not exceed the limits of the contract.
    package init(_ book: Book) throws(ViewFault) {
        var reader = BookReader(.none)
        let arena = Arena()
        let record = arena.record(book)
        self = try reader.packed(record)
        withExtendedLifetime(arena) {}
    }

    /// Removes the content and keeps the memory.
    mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        if !annotations.isEmpty { annotations = [] }
    }

    /// Appends a record with `packer`, using this capacity.
    mutating func append(
        room: Int, _ record: inout ovl_book, _ packer: inout RecordPacker
    ) throws(ViewFault) {
        let flags = record.flags
        try bytes.append(addingCapacity: room) { (free) throws(ViewFault) in
            try free.withUnsafeMutableBufferPointer { (memory, written) throws(ViewFault) in
                written = try withUnsafeBytes(of: &record) { (bytes) throws(ViewFault) in
                    try packer.pack(bytes, flags, into: UnsafeMutableRawBufferPointer(memory))
                }
            }
        }
    }

    /// The unpacked book.
    package var book: Book {
        var book = bytes.withUnsafeBytes { Self.book(in: $0) }
        book.annotations = annotations
        return book
    }

    /// Unpacks a book without its annotations.
    package static func book(in bytes: UnsafeRawBufferPointer) -> Book {
        var book = Book()
        var reader = CBORReader(bytes)
        let mask = reader.unsigned() ?? 0
        // The book does not move, because it is a local variable.
        withUnsafeMutablePointer(to: &book) { book in
            for (index, row) in BookTable.rows.enumerated() where mask & (1 << UInt64(index)) != 0 {
                let place = UnsafeMutableRawPointer(book) + row.place
                func set<Value>(_ value: Value?) {
                    place.assumingMemoryBound(to: Value?.self).pointee = value
                }
                switch row.kind {
                case .text: set(reader.text())
                case .texts: set(reader.texts())
                case .bytes: set([UInt8](reader.byteString()))
                case .number: set(reader.double())
                case .count: set(reader.unsigned())
                case .time: set(reader.signed())
                case .flag: set(reader.bool())
                }
            }
        }
        return book
    }

    private static let coverSizeBit: UInt64 = {
        let place = MemoryLayout<Book>.offset(of: \.coverSize)
        return BookTable.rows.firstIndex { $0.place == place }.map { 1 << UInt64($0) } ?? 0
    }()

    /// The size of the cover in the bytes of a packed book; nil if it is unknown. Books without one are not unpacked.
    static func coverSize(in bytes: UnsafeRawBufferPointer) -> UInt64? {
        var reader = CBORReader(bytes)
        return (reader.unsigned() ?? 0) & coverSizeBit == 0 ? nil : book(in: bytes).coverSize
    }

    /// The path in the bytes of a packed book; nil if the book has none.
    package static func path(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        // The path is the first value in the contract.
        var reader = CBORReader(bytes)
        return (reader.unsigned() ?? 0) & 1 == 0 ? nil : reader.utf8()
    }
}
