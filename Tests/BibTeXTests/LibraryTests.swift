import BibTeX
import Testing

@Suite("Entries of a library become references")
struct LibraryTests {
    private let library = BibTeXLibrary(document(Samples.library))

    @Test("Texts have their macros, letters and parents resolved")
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

    @Test("Addresses and identifiers are read as they are, out of the commands and labels around them")
    func addresses() {
        for (field, value, address) in [
            ("url", "http://x.org/~ada/a--b/x_y$z.html", "http://x.org/~ada/a--b/x_y$z.html"),
            ("url", "\\href{http://target/a\\_b}{text}", "http://target/a_b"),
            ("url", " \\url{http://x.org/\\%20} ", "http://x.org/%20"),
            ("doi", "doi:10.1000/a--b", "10.1000/a--b"),
            ("doi", "https://doi.org/10.5/x", "10.5/x"), ("doi", "none", "none"),
            ("isbn", "{0-19--x}", "0-19--x"),
        ] {
            let library = BibTeXLibrary(document("@a{k, \(field) = {\(value)}}"))
            #expect(library.address(field, of: 0) == address)
        }
        let child = BibTeXLibrary(document("@a{k, crossref = {l}}@a{l, url = {http://x/~y}}"))
        #expect(child.address("URL", of: 0) == "http://x/~y")
    }

    @Test("Keys are found regardless of case, and all entries of a key are found")
    func keys() {
        let library = BibTeXLibrary(document("@a{k, x = 1}@b{K, x = 2}"))
        #expect(library.entries("k") == [0, 1])
        #expect(library.entries("none") == [])
    }

    @Test(
        "An entry inherits missing fields from the first entry with its parent's key, except notes, marks and papers"
    )
    func inheritance() {
        let library = BibTeXLibrary(
            document(
                """
                @inbook{c, crossref = {P}, title = {}}
                @book{p, title = {Whole}, keywords = {kone, ktwo}, abstract = {A}, annote = {N}, rss-description = {R},
                  author = {Ana Lima}, editor = {Bo Ek}, read = {yes}, rating = {3}, file = {x.pdf}, address = {Oslo}}
                @book{P, title = {Second}, address = {Bergen}}
                """))
        #expect(library.keywords(of: 0) == ["kone", "ktwo"])
        #expect(library.text("address", of: 0) == "Oslo" && library.text("title", of: 0) == "Whole")
        #expect(library.persons("author", of: 0).count == 1 && library.persons("editor", of: 0).count == 1)
        for name in ["abstract", "annote", "rss-description", "read", "rating", "file", "booktitle"] {
            #expect(library.text(name, of: 0).isEmpty, "\(name)")
        }
    }

    @Test(
        "The year of an entry counts first, then its date, and then those of its parent",
        arguments: [
            ("", "1999-03"), ("year = 2001", "2001-03"), ("date = {2020-05-01}", "2020-05-01"),
            ("date = {soon}", "1999-03"), ("year = 2001, date = {2020-05-01}", "2001-03"),
            ("month = {May}", "1999-05"),
        ])
    func dates(fields: String, expected: String) {
        let library = BibTeXLibrary(
            document("@inbook{c, crossref = {p}, \(fields)}@book{p, year = 1999, month = mar, date = {1990}}")
        )
        #expect(library.publicationDate(of: 0)?.text == expected)
    }

    @Test("The first of several keywords that differ only in case is taken")
    func repeatedKeywords() {
        let library = BibTeXLibrary(document("@a{k, keywords = {Optics; optics, Light:OPTICS}}"))
        #expect(library.keywords(of: 0) == ["Optics", "Light"])
    }

    @Test(
        "The container of a work depends on its type, and the title of a part has its chapter or pages",
        arguments: [
            ("article", "J", "T"), ("incollection", "B", "T"), ("inproceedings", "B", "T"),
            ("conference", "B", "T"),
            ("commented", "V", "T"), ("book", "S", "T"), ("inbook", "T", "T (pp 3--5)"), ("misc", "", "T"),
        ])
    func containers(type: String, container: String, title: String) {
        let library = BibTeXLibrary(
            document(
                "@\(type){k, title = {T}, journal = {J}, booktitle = {B}, volumetitle = {V}, series = {S}, pages = {3--5}}"
            ))
        #expect(library.container(of: 0) == container)
        #expect(library.title(of: 0).replacing("–", with: "--") == title)
    }

    @Test("A circle of parents ends, and a parent of a parent is not asked")
    func circles() {
        let library = BibTeXLibrary(
            document("@a{k, crossref = {l}}@a{l, crossref = {m}, x = {1}}@a{m, crossref = {m}, y = {2}}"))
        #expect(library.text("x", of: 0) == "1")
        #expect(library.text("y", of: 0) == "")
        #expect(library.text("y", of: 1) == "2")
        #expect(library.parent(2) == nil)
    }
}
