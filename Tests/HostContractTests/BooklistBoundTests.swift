import OverlayABI
import OverlayBridge
import Testing

@testable import HostContract

@Suite("The bound on the memory of a booklist counts every field of every record")
struct BooklistBoundTests {
    /// Bytes that the checker counts for one record.
    private func counted(_ record: ovl_book, perRecord: Int = 0) throws -> UInt64 {
        var checker = BookChecker(perRecord: perRecord)
        try checker.check(record)
        return checker.bytes
    }

    private func record(_ memory: Arena) -> ovl_book { memory.book(BookRecord(path: "/p")) }

    // The table is immutable, and key paths of imported structs have no mutable state.
    nonisolated(unsafe) private static let texts: [WritableKeyPath<ovl_book, ovl_text>] = [
        \.path, \.uuid, \.title, \.title_sort, \.author_sort, \.series, \.publisher, \.description, \.format,
        \.cover_media_type,
    ]

    @Test("Every text counts with all its bytes", arguments: texts.indices)
    func text(_ index: Int) throws {
        let memory = Arena()
        var book = record(memory)
        let before = try counted(book)
        let own = book[keyPath: Self.texts[index]].size
        book[keyPath: Self.texts[index]] = memory.text(String(repeating: "x", count: 3000))
        #expect(try counted(book) == before + 3000 - own)
    }

    @Test("Every list counts its texts and what each element takes, even if they are empty", arguments: 0..<3)
    func list(_ index: Int) throws {
        let lists: [WritableKeyPath<ovl_book, ovl_texts>] = [\.authors, \.tags, \.collections]
        let memory = Arena()
        var book = record(memory)
        let before = try counted(book)
        book[keyPath: lists[index]] = memory.texts([String](repeating: "", count: 500))
        let empty = try counted(book)
        #expect(empty >= before + 500 * UInt64(BoundaryLimits.elementOverhead))
        book[keyPath: lists[index]] = memory.texts([String](repeating: "abc", count: 500))
        #expect(try counted(book) == empty + 1500)
    }

    @Test("The day, the cover and the record itself count")
    func others() throws {
        let memory = Arena()
        var book = record(memory)
        let before = try counted(book)
        #expect(try counted(book, perRecord: 200) == before + 200)
        book.pubdate = memory.text("2020-01-02")
        #expect(try counted(book) == before + 10)
        book.cover_media_type = memory.text("")
        book.cover = memory.bytes([UInt8](repeating: 0, count: 7000))
        #expect(try counted(book) == before + 7010)
    }

    @Test("A million of the smallest records count less than a booklist may")
    func smallest() throws {
        #expect(BoundaryLimits.bookOverhead * BoundaryLimits.books < BoundaryLimits.booklistBytes)
    }

    @Test("The memory of a book beside its texts is at most four times its counted size")
    func overhead() throws {
        // Every value that takes more than its texts; then a place of 12 bytes, a hash of 4 and up to four slots of
        // 4. Growing arrays have up to twice the memory that they need.
        let values = try PackedBook(
            Book(
                path: "", uuid: "", title: "", titleSort: "", authors: [], authorSort: "", series: "",
                seriesIndex: 0, publisher: "", pubdate: "", dateAdded: 0, description: "", tags: [],
                collections: [], rating: 0, size: 0, format: "", coverMediaType: "", coverSize: 0,
                coverData: [], isLocked: true, wordCount: 0, progress: 0, contentID: "", extra: "")
        ).bytes.count
        let perBook = 2 * (values + 12 + 4) + 4 * 4
        #expect(perBook <= 4 * BoundaryLimits.bookOverhead)
    }

    @Test("The record that passes the bound is refused")
    func bound() throws {
        let memory = Arena()
        var book = record(memory)
        book.cover_media_type = memory.text("image/png")
        book.cover = memory.bytes([UInt8](repeating: 0, count: BoundaryLimits.cover))
        var checker = BookChecker()
        for _ in 0..<(BoundaryLimits.booklistBytes / BoundaryLimits.cover - 1) { try checker.check(book) }
        let breach = #expect(throws: ContractBreach.self) { try checker.check(book) }
        #expect(breach?.message.contains("larger than 1073741824 bytes") == true)
    }
}
