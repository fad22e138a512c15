import BookModel
import Testing

@testable import Libraries

@Suite("A book takes the place of its former copy only if it surely is the same book")
struct BackupMatcherTests {
    private func book(
        _ path: String, _ title: String?, _ authors: String..., size: UInt64 = 10, date: Int64 = 1,
        uuid: String? = nil, content: String? = nil
    ) -> Book {
        Book(
            path: path, uuid: uuid, title: title, authors: authors.isEmpty ? nil : authors, dateAdded: date,
            size: size, contentID: content)
    }

    private func entry(_ book: Book, goneSince: Int64? = nil) -> BackupEntry {
        var entry = BackupEntry(book, folder: "Ann/a")
        entry.goneSince = goneSince
        return entry
    }

    private func places(_ books: [Book], _ entries: [BackupEntry]) -> [Int?] {
        var matcher = BackupMatcher(entries)
        return matcher.places(of: books)
    }

    @Test("A file that was renamed to the name of a deleted one is the file that it was")
    func renamedOver() {
        let entries = [
            entry(book("01.pdf", "Part One", "Ann")),
            entry(book("02.pdf", "Part Two", "Ann", size: 20, date: 2)),
        ]
        #expect(places([book("01.pdf", "Part Two", "Ann", size: 20, date: 2)], entries) == [1])
        // Two that were exchanged are found as well.
        let exchanged = [
            book("02.pdf", "Part One", "Ann"), book("01.pdf", "Part Two", "Ann", size: 20, date: 2),
        ]
        #expect(places(exchanged, entries) == [0, 1])
        // With another date it is a new book; the deleted one stays as it was.
        #expect(places([book("01.pdf", "Part Two", "Ann", size: 20, date: 3)], entries) == [nil])
    }

    @Test("The content that moved counts more than the path")
    func movedContent() {
        let entries = [
            entry(book("a", "A", "Ann", content: "one")), entry(book("b", "B", "Ann", content: "two")),
        ]
        #expect(places([book("a", "A", "Ann", date: 9, content: "two")], entries) == [1])
        #expect(places([book("a", "A", "Ann", date: 9, content: "three")], entries) == [0])
    }

    @Test("Size and date alone do not make a file at another path the same")
    func sameSize() {
        let entries = [entry(book("a", "A", "Ann"))]
        #expect(places([book("b", "A", "Ann")], entries) == [0])
        #expect(places([book("b", "B", "Ann")], entries) == [nil])
        #expect(places([book("b", "A", "Bea")], entries) == [nil])
        #expect(places([book("b", "A", "Ann", uuid: "u")], entries) == [0])
        #expect(
            places([book("b", "A", "Ann", uuid: "u")], [entry(book("a", "A", "Ann", uuid: "v"))]) == [nil])
        #expect(places([book("b", nil)], [entry(book("a", nil))]) == [nil])
    }

    @Test("A changed file without a uuid needs the same title and authors")
    func withoutUUID() {
        let thesis = [entry(book("p.pdf", "My Thesis", "Ann"))]
        #expect(places([book("p.pdf", "My Thesis", "Ann", size: 11)], thesis) == [0])
        #expect(places([book("p.pdf", "my  thesis", "ann", "Bea", size: 11)], thesis) == [0])
        for other in [
            book("p.pdf", "p", size: 11), book("p.pdf", "My Thesis", size: 11), book("p.pdf", nil, size: 11),
            book("p.pdf", "p", "Ann", size: 11), book("p.pdf", "My Thesis", "Bea", size: 11),
        ] { #expect(places([other], thesis) == [nil], "\(other)") }
        let untitled = [entry(book("p.pdf", "p"))]
        #expect(places([book("p.pdf", "p", size: 11)], untitled) == [0])
        #expect(places([book("p.pdf", "p", "Ann", size: 11)], untitled) == [nil])
        // A book that lost its uuid.
        let novel = [entry(book("e.epub", "My Novel", "Ann", uuid: "u"))]
        #expect(places([book("e.epub", "e", size: 11)], novel) == [nil])
        #expect(places([book("e.epub", "My Novel", "Ann", size: 11)], novel) == [0])
    }

    @Test(
        "Books of one template are others, also if they have one uuid and path",
        arguments: [nil, 5 as Int64?])
    func template(goneSince: Int64?) {
        let alpha = [entry(book("t.epub", "Alpha", "Ann", uuid: "T"), goneSince: goneSince)]
        #expect(places([book("t.epub", "Zulu", "Zoe", size: 11, uuid: "t")], alpha) == [nil])
        #expect(places([book("z.epub", "Zulu", "Zoe", uuid: "t")], alpha) == [nil])
        #expect(places([book("t.epub", "Zulu", size: 11, uuid: "t")], alpha) == [nil])
        #expect(places([book("t.epub", nil, size: 11, uuid: "t")], alpha) == [nil])
        // A new edition has the same title or the same authors.
        #expect(places([book("t.epub", "Alpha, revised", "Ann", size: 11, uuid: "t")], alpha) == [0])
        #expect(places([book("t.epub", "Alpha", "A. Nonymous", size: 11, uuid: "t")], alpha) == [0])
        // In the app, title and authors can be changed without the file.
        #expect(places([book("t.epub", "Zulu", "Zoe", uuid: "t")], alpha) == [0])
    }

    @Test("A book that changed in place keeps its entry although others are gone at its path")
    func earlier() {
        let entries = [
            entry(book("p", "A", "Ann"), goneSince: 5), entry(book("p", "B", "Bea", size: 20)),
        ]
        #expect(places([book("p", "B", "Bea", size: 21)], entries) == [1])
        #expect(places([book("p", "A", "Ann")], entries) == [0])
        #expect(places([book("p", "A", "Ann", date: 9)], entries) == [nil])
    }
}
