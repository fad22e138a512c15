import Testing

@testable import BookModel

@Suite("The table of fields covers every value of a book")
struct BookFieldTests {
    /// A book with a value in every field.
    private let full = Book(
        path: "/a", uuid: "u", title: "T", titleSort: "T, The", authors: ["A"], authorSort: "A, B",
        series: "S", seriesIndex: 2, publisher: "P", pubdate: "2020-01-02", dateAdded: 3, description: "D",
        tags: ["t"], collections: ["c"], rating: 4, size: 5, format: "application/pdf",
        coverMediaType: "image/png", coverSize: 6, coverData: [7], isLocked: true, wordCount: 8,
        progress: 0.5, annotations: [], contentID: "i", extra: "{}")

    @Test("Every value of a book has one field, and only annotations have none")
    func complete() {
        #expect(Mirror(reflecting: full).children.count == Book.fields.count + 1)
        #expect(Set(Book.fields.map(\.name)).count == Book.fields.count)
        #expect(Book.fields.allSatisfy { $0.isPresent(in: full) && !$0.isPresent(in: Book()) })
    }

    @Test("Copying all fields copies the book")
    func copying() {
        var copy = Book()
        for field in Book.fields { field.copy(from: full, to: &copy) }
        #expect(copy == full)
    }

    @Test("A field that depends on another one comes after it")
    func leaders() throws {
        for (index, field) in Book.fields.enumerated() {
            guard let leader = field.leader else { continue }
            #expect(try #require(Book.fields.firstIndex { $0.name == leader }) < index)
        }
    }

    @Test("Overriding replaces values about the book and keeps those about the copy")
    func overriding() {
        let other = Book(
            path: "/b", title: "Other", authors: [], dateAdded: 9, rating: 1, size: 9, progress: 1,
            contentID: "j")
        let book = full.overridden(by: other)
        var expected = full
        (expected.title, expected.titleSort) = ("Other", nil)
        (expected.authors, expected.authorSort) = ([], nil)
        expected.rating = 1
        #expect(book == expected)
    }

    @Test("A value that depends on an overridden one is overridden, too")
    func dependants() {
        #expect(full.overridden(by: Book(series: "Other")).seriesIndex == nil)
        #expect(full.overridden(by: Book(seriesIndex: 3)).series == "S")
        let cover = full.overridden(by: Book(coverMediaType: "image/gif")).cover
        #expect(cover == BookCover(mediaType: "image/gif"))
        #expect(full.overridden(by: Book()) == full)
    }

    @Test("The words of settable metadata name each present value once")
    func words() {
        #expect(
            full.settableWords == [
                "title", "title_sort", "authors", "author_sort", "series", "series_index", "publisher",
                "pubdate", "description", "tags", "collections", "rating", "cover", "locked", "word_count",
            ])
        #expect(Book(path: "/a", uuid: "u", size: 1).settableWords.isEmpty)
    }

    @Test("A book limited to words has only their values")
    func limiting() {
        #expect(full.limited(toSettable: ["title", "size", "unknown"]) == Book(title: "T"))
        #expect(full.limited(toSettable: ["cover"]).cover == full.cover)
    }

    @Test("A cover is there when its media type is")
    func cover() {
        var book = Book(coverSize: 3)
        #expect(book.cover == nil)
        book.cover = BookCover(mediaType: "image/png", data: [1])
        #expect(book.coverMediaType == "image/png" && book.coverSize == nil && book.coverData == [1])
        book.cover = nil
        #expect(book == Book())
    }
}
