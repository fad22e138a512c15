import BookModel
import OverlayABI
import Testing

@testable import OverlayBridge

@Suite("Books cross between Swift and C by the table of signatures")
struct BookRecordTests {
    private let limits = BookLimits(
        path: 8, text: 100, description: 200, cover: 10, texts: 4, annotations: 2, total: 1000)

    private let full = Book(
        path: "/a", uuid: "u", title: "Ä", titleSort: "", authors: ["A", ""], authorSort: "A, B",
        series: "S", seriesIndex: -2.5, publisher: "P", pubdate: "2020-01-02", dateAdded: -3,
        description: "D", tags: [], collections: ["c"], rating: 4, size: .max, format: "application/pdf",
        coverMediaType: "image/png", coverSize: 6, coverData: [7, 0], isLocked: false, wordCount: 0,
        progress: 0.5,
        annotations: [Annotation(kind: "note", note: "n", modified: 0), Annotation()], contentID: "i")

    private func read(_ record: ovl_book, _ limits: BookLimits) throws -> Book {
        var reader = BookReader(limits)
        return try reader.read(record)
    }

    @Test("Every described value has a field of its kind, and every field is described")
    func table() throws {
        var count: UInt32 = 0
        let records = ovl_signatures_v1(&count)
        let record = try #require(
            (0..<Int(count)).map { records[$0] }.first { String(cString: $0.pointee.name) == "ovl_book" }
        ).pointee
        let described = (0..<Int(record.field_count)).map { record.fields[$0] }.filter {
            ![OVL_KIND_STRUCT_SIZE, OVL_KIND_FLAGS, OVL_KIND_RESERVED, OVL_KIND_LIST].contains($0.kind)
        }
        #expect(described.map { String(cString: $0.name) } == BookTable.rows.map { BookTable.names[$0.name] })
        #expect(BookTable.rows.map { BookTable.names[$0.name] } == Book.fields.map(\.name))
        for (row, field) in zip(BookTable.rows, described) {
            let kind =
                switch row.kind {
                case .text: OVL_KIND_TEXT
                case .texts: OVL_KIND_TEXTS
                case .number: OVL_KIND_F64
                case .count: OVL_KIND_U64
                case .time: OVL_KIND_I64
                case .flag: OVL_KIND_U32
                case .bytes: OVL_KIND_BYTES
                }
            #expect(kind == field.kind, "\(BookTable.names[row.name])")
        }
    }

    @Test("A book comes back as it went")
    func roundTrip() throws {
        let arena = Arena()
        #expect(try read(arena.record(full), limits) == full)
        #expect(try read(arena.record(Book()), limits) == Book())
        arena.reset()
    }

    @Test("A packed book is the same book, and its path can be read directly")
    func packed() throws {
        let packed = try PackedBook(full)
        #expect(packed.book == full)
        let path = packed.bytes.withUnsafeBytes { bytes in
            PackedBook.path(in: bytes).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(path == "/a")
        #expect(try PackedBook(Book()).book == Book())
        #expect(BookTable.rows.first.map { BookTable.names[$0.name] } == "path")
    }

    @Test("A packed book takes hardly more than its texts, and absent values take nothing")
    func size() throws {
        let text = String(repeating: "x", count: 50)
        let book = Book(
            path: text, uuid: text, title: text, titleSort: text, authors: [text], authorSort: text,
            series: text, seriesIndex: 1, publisher: text, pubdate: text, dateAdded: 1, description: text,
            tags: [text, text], collections: [text], size: 1, format: text)
        #expect(try PackedBook(book).bytes.count <= 9 + 14 * 52 + 3 + 9 + 2)
        #expect(try PackedBook(Book(path: text)).bytes.count == 9 + 52)
    }

    @Test("A packed book that is kept has no spare room")
    func compact() throws {
        let packed = try PackedBook(full)
        #expect(packed.compactBytes == packed.bytes)
        // Memory is allocated in steps of 16 bytes.
        #expect(packed.compactBytes.capacity <= packed.bytes.count + 32)
    }

    @Test("A reader gives a new book each time") func twice() throws {
        let arena = Arena()
        var reader = BookReader(limits)
        let first = try reader.packed(arena.record(full))
        let second = try reader.packed(arena.record(Book(path: "/b")))
        #expect(first.book == full)
        #expect(second.book == Book(path: "/b"))
    }

    @Test("A book of any size is packed whole, also after a larger one")
    func sizes() throws {
        let wide = BookLimits(
            path: 100, text: 1 << 20, description: 1 << 20, cover: 10, texts: 1 << 20, annotations: 2,
            total: 1 << 30)
        var reader = BookReader(wide)
        for size in [0, 100, 4000, 4070, 4080, 4081, 4082, 4083, 4084, 4090, 4100, 300_000, 9000, 3] {
            let book = Book(
                path: "/\(size)", title: String(repeating: "ä", count: size / 2),
                tags: Array(repeating: "x", count: size / 10), size: UInt64(size), isLocked: true)
            let arena = Arena()
            #expect(try reader.packed(arena.record(book)).book == book, "\(size)")
        }
        #expect(reader.bytes < 1_000_000)
    }

    @Test("The counted size of a book does not depend on the memory that it needed")
    func countedOnce() throws {
        let wide = BookLimits(
            path: 8, text: 1 << 20, description: 1 << 20, cover: 10, texts: 4, annotations: 2, total: 1 << 30)
        var reader = BookReader(wide, overhead: .init(book: 100, element: 10, annotation: 20))
        for _ in 0..<2 {
            let before = reader.bytes
            let arena = Arena()
            let book = Book(path: "/a", title: String(repeating: "x", count: 20_000), tags: ["bc"])
            _ = try reader.packed(arena.record(book))
            #expect(reader.bytes - before == 100 + 2 + 20_000 + 10 + 2)
        }
    }

    @Test("A byte that is not UTF-8 is found at any place of a text of any length")
    func notUTF8() {
        for count in 1...40 {
            for place in 0..<count {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
                bytes[place] = 0xFF
                bytes.withUnsafeBytes { bytes in
                    var record = ovl_book.sized()
                    record.title = ovl_text(
                        data: bytes.assumingMemoryBound(to: CChar.self).baseAddress, size: UInt64(count))
                    #expect(throws: ViewFault.notUTF8("title"), "\(place) of \(count)") {
                        try read(record, limits)
                    }
                }
            }
        }
    }

    @Test("Values beyond their limits are refused")
    func bounds() throws {
        let arena = Arena()
        let cases: [(Book, ViewFault)] = [
            (Book(path: "/23456789"), .tooManyBytes("path", 9, limit: 8)),
            (
                Book(title: String(repeating: "x", count: 101)), .tooManyBytes("title", 101, limit: 100)
            ),
            (
                Book(description: String(repeating: "x", count: 201)),
                .tooManyBytes("description", 201, limit: 200)
            ),
            (
                Book(tags: ["", "", "", "", ""]), .tooManyElements("tags", 5, limit: 4)
            ),
            (
                Book(coverData: [UInt8](repeating: 0, count: 11)), .tooManyBytes("cover", 11, limit: 10)
            ),
            (
                Book(annotations: [Annotation(), Annotation(), Annotation()]),
                .tooManyElements("annotations", 3, limit: 2)
            ),
        ]
        for (book, fault) in cases {
            #expect(throws: fault) { try read(arena.record(book), limits) }
        }
    }

    @Test("The sum of all books is bounded, and each part counts")
    func total() throws {
        let arena = Arena()
        let book = Book(path: "/a", tags: ["xy"], annotations: [Annotation(note: "n")])
        var reader = BookReader(limits, overhead: .init(book: 100, element: 10, annotation: 20))
        _ = try reader.read(arena.record(book))
        #expect(reader.bytes == 100 + 2 + 10 + 2 + 20 + 1)
        let breach = #expect(throws: ViewFault.self) {
            while true { _ = try reader.read(arena.record(book)) }
        }
        #expect(breach == .totalBytes(limit: 1000))
        #expect(reader.bytes <= 1000)
    }

    @Test("Impossible views are refused")
    func views() throws {
        let arena = Arena()
        func fault(_ change: (inout ovl_book) -> Void) -> ViewFault? {
            var record = arena.record(full)
            change(&record)
            return #expect(throws: ViewFault.self) { try read(record, limits) }
        }
        #expect(fault { $0.title = ovl_text(data: nil, size: 1) } == .sizeWithoutData("title", size: 1))
        #expect(fault { $0.tags = ovl_texts(items: nil, count: 1) } == .countWithoutItems("tags", count: 1))
        #expect(fault { $0.cover = ovl_bytes(data: nil, size: 1) } == .sizeWithoutData("cover", size: 1))
        #expect(fault { $0.annotations.stride = 4 } == .stride("annotations", stride: 4))
        let hole = ovl_texts(items: arena.hole(), count: 1)
        #expect(fault { $0.authors = hole } == .absent("authors"))
    }

    @Test("Text that is not UTF-8 is refused")
    func encoding() throws {
        let arena = Arena()
        var record = arena.record(full)
        let bytes = arena.bytes([0xC3, 0x28])
        record.publisher = ovl_text(
            data: bytes.data.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }, size: 2)
        #expect(throws: ViewFault.notUTF8("publisher")) { try read(record, limits) }
    }
}

extension Arena {
    /// A list of one absent text.
    fileprivate func hole() -> UnsafePointer<ovl_text> {
        let memory = allocate(MemoryLayout<ovl_text>.size).assumingMemoryBound(to: ovl_text.self)
        memory.initialize(to: ovl_text())
        return UnsafePointer(memory)
    }
}
