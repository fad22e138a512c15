import BookModel
import Testing

@Suite("The title index")
struct TitleIndexTests {
    private func index(_ books: [(key: Int, title: String?, authors: [String]?)]) -> TitleIndex<Int> {
        var index = TitleIndex<Int>()
        for book in books { index.insert(book.key, title: book.title, authors: book.authors) }
        return index
    }

    @Test("Books with the same title and an author in common are the same, in the order of insertion")
    func order() {
        let index = index((0..<5).map { ($0, "Emma", ["Jane Austen"]) } + [(9, "Emma", ["Other Author"])])
        let found = index.books(title: "EMMA", authors: ["Austen, Jane"])
        #expect(found.map(\.key) == [0, 1, 2, 3, 4])
        #expect(found.allSatisfy { $0.similarity == .same })
    }

    @Test("A book without authors may match, on either side")
    func withoutAuthors() {
        let index = index([(1, "Emma", ["Jane Austen"]), (2, "Emma", nil), (3, nil, ["Jane Austen"])])
        let found = index.books(title: "Emma", authors: ["Jane Austen"])
        #expect(found.map(\.key) == [1, 2])
        #expect(found.map(\.similarity) == [.same, .perhaps])
        #expect(index.books(title: "emma", authors: nil).map(\.similarity) == [.perhaps, .perhaps])
        #expect(index.books(title: nil, authors: ["Jane Austen"]).isEmpty)
    }

    @Test("A book that was removed is not found, and the others of its title are")
    func removing() {
        var index = index([(1, "Emma", ["Jane Austen"]), (2, "Emma", ["Jane Austen"]), (3, "Emma", [])])
        index.remove(1, title: "Emma", authors: ["Jane Austen"])
        #expect(index.books(title: "Emma", authors: ["Jane Austen"]).map(\.key) == [2, 3])
        index.remove(2, title: "Emma", authors: ["Jane Austen"])
        index.remove(3, title: "Emma", authors: nil)
        #expect(index.books(title: "Emma", authors: ["Jane Austen"]).isEmpty)
        index.insert(4, title: "Emma", authors: ["Jane Austen"])
        #expect(index.books(title: "Emma", authors: nil).map(\.key) == [4])
    }
}
