import BibTeX
import Testing

@Suite("Entries of a library become references")
struct LibraryTests {
    private let library = BibTeXLibrary(document(Samples.library))

    @Test("Texts with macros, letters and parents")
    func texts() {
        #expect(
            library.entries.map { library.title(of: $0) } == [
                "On über Things", "A Chapter (chapter 3)", "The Whole",
            ])
        #expect(library.plain("journal", of: library.entries[0]) == "Journal of Things")
        #expect(
            library.persons("author", of: library.entries[0]).map(\.display) == [
                "Ana Lima", "Rui de la Souza",
            ])
        #expect(library.persons("author", of: library.entries[1]).map(\.display) == ["Kim Lee"])
        #expect(library.publicationDate(of: library.entries[0])?.text == "2024-05")
        #expect(library.publicationDate(of: library.entries[1])?.text == "1999")
        #expect(library.keywords(of: library.entries[0]) == ["Physics", "Optics"])
        #expect(library.moment("date-added", of: library.entries[0])?.seconds == 1_714_550_400)
    }

    @Test("Keys are found without case, and all entries of a key are there")
    func keys() {
        let library = BibTeXLibrary(document("@a{k, x = 1}@b{K, x = 2}"))
        #expect(library.entries("k") == [0, 1])
        #expect(library.entries("none") == [])
    }

    @Test("Parents in a circle, and a parent of a parent, are asked once")
    func circles() {
        let library = BibTeXLibrary(
            document("@a{k, crossref = {l}}@a{l, crossref = {m}, x = {1}}@a{m, crossref = {m}, y = {2}}"))
        #expect(library.text("x", of: 0) == "1")
        #expect(library.text("y", of: 0) == "")
        #expect(library.text("y", of: 1) == "2")
        #expect(library.parent(2) == nil)
    }
}
