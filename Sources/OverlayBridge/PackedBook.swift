import BookModel
import OverlayABI

/// A book as one run of bytes, as a long booklist keeps it: the values that it has and nothing for those that it lacks.
///
/// The run begins with eight bytes whose bits say which values of `BookTable` are there. These follow in the order of the
/// table: texts, lists and images behind their counts, a flag as one byte, other values as eight. The annotations, which few
/// books have, stay as they are.
package struct PackedBook: Sendable {
    /// The run.
    package private(set) var bytes: [UInt8] = []
    /// Highlights, notes and bookmarks.
    package var annotations: [Annotation] = []

    /// A copy of the run in memory of its own size: a slice of all bytes would keep the room that the run was packed in.
    package var compactBytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes.count) { memory, written in
            written = memory.initialize(fromContentsOf: bytes)
        }
    }

    init() {}

    /// Packs a book whose values have the sizes that the contract allows.
    package init(_ book: Book) throws(ViewFault) {
        var reader = BookReader(.none)
        let arena = Arena()
        let record = arena.record(book)
        self = try reader.packed(record)
        withExtendedLifetime(arena) {}
    }

    /// Begins anew, with the memory that it has.
    mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        if !annotations.isEmpty { annotations = [] }
    }

    /// Has `packer` append a record, for which there is so much room.
    mutating func append(room: Int, _ record: ovl_book, _ packer: inout RecordPacker) throws(ViewFault) {
        try bytes.append(addingCapacity: room) { (free) throws(ViewFault) in
            try free.withUnsafeMutableBufferPointer { (memory, written) throws(ViewFault) in
                // The record stays where it is while its bytes are looked at, since nothing else can change a local copy.
                written = try withUnsafeBytes(of: record) { (bytes) throws(ViewFault) in
                    try packer.pack(bytes, record.flags, into: UnsafeMutableRawBufferPointer(memory))
                }
            }
        }
    }

    /// The book.
    package var book: Book {
        var book = bytes.withUnsafeBytes { Self.book(in: $0) }
        book.annotations = annotations
        return book
    }

    /// The book, without its annotations, of the bytes of a packed one.
    package static func book(in bytes: UnsafeRawBufferPointer) -> Book {
        var book = Book()
        var reader = PackedReader(bytes)
        let mask = reader.word()
        // The book stays where it is, since nothing else can change a local copy.
        withUnsafeMutablePointer(to: &book) { book in
            for (index, row) in BookTable.rows.enumerated() where mask & (1 << UInt64(index)) != 0 {
                let place = UnsafeMutableRawPointer(book) + row.place
                func set<Value>(_ value: Value) {
                    place.assumingMemoryBound(to: Value?.self).pointee = value
                }
                switch row.kind {
                case .text: set(String(decoding: reader.run(), as: UTF8.self))
                case .texts:
                    set((0..<reader.count()).map { _ in String(decoding: reader.run(), as: UTF8.self) })
                case .bytes: set([UInt8](reader.run()))
                case .number: set(Double(bitPattern: reader.word()))
                case .count: set(reader.word())
                case .time: set(Int64(bitPattern: reader.word()))
                case .flag: set(reader.byte() != 0)
                }
            }
        }
        return book
    }

    /// The path in the bytes of a packed book; nil if the book has none.
    package static func path(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        // It is the first value of the contract.
        var reader = PackedReader(bytes)
        return reader.word() & 1 == 0 ? nil : reader.run()
    }
}

extension PackedReader {
    /// Bytes behind their count.
    fileprivate mutating func run() -> UnsafeRawBufferPointer { raw(count()) }
}
