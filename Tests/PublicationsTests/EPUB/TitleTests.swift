import Publications
import Testing

@Suite("The titles of an EPUB are read")
struct TitleTests {
    @Test("A title is read, and line breaks and blanks become one blank")
    func plain() throws {
        let data = try metadata("<dc:title>\n  A  Long\n\tTitle </dc:title>")
        #expect(data.title == "A Long Title")
        #expect(data.subtitle == nil)
        #expect(data.titleSort == nil)
    }

    @Test("The main title is the one marked as such, and the subtitle is another")
    func types() throws {
        let data = try metadata(
            """
            <dc:title id="t1">Collected Works</dc:title><dc:title id="t2">The Book</dc:title><dc:title id="t3">A Subtitle</dc:title>
            <meta refines="#t1" property="title-type">collection</meta>
            <meta refines="#t2" property="title-type">main</meta>
            <meta refines="#t3" property="title-type">subtitle</meta>
            """)
        #expect(data.title == "The Book")
        #expect(data.subtitle == "A Subtitle")
    }

    @Test("Without a main title the first that has no type counts, even after a subtitle")
    func untyped() throws {
        let data = try metadata(
            """
            <dc:title id="a">Sub</dc:title><dc:title>Main</dc:title>
            <meta refines="#a" property="title-type">subtitle</meta>
            """)
        #expect(data.title == "Main")
        #expect(data.subtitle == "Sub")
    }

    @Test("A lone subtitle is the title")
    func onlySubtitle() throws {
        let data = try metadata(
            "<dc:title id='a'>Sub</dc:title><meta refines='#a' property='title-type'>subtitle</meta>")
        #expect(data.title == "Sub")
        #expect(data.subtitle == nil)
    }

    @Test("Titles of equal kind follow display-seq")
    func displayOrder() throws {
        let data = try metadata(
            """
            <dc:title id="a">Second</dc:title><dc:title id="b">First</dc:title><dc:title id="c">Last</dc:title>
            <meta refines="#a" property="display-seq">2</meta><meta refines="#b" property="display-seq">1</meta>
            """)
        #expect(data.title == "First")
    }

    @Test(
        "The sort form comes from a refinement, calibre's meta, or EPUB 2's attribute",
        arguments: [
            "<dc:title id='t'>The T</dc:title><meta refines='#t' property='file-as'>T, The</meta>",
            "<dc:title>The T</dc:title><meta name='calibre:title_sort' content='T, The'/>",
            "<dc:title>The T</dc:title><meta property='calibre:title_sort'>T, The</meta>",
            "<dc:title opf:file-as='T, The'>The T</dc:title>",
        ])
    func sortForm(elements: String) throws {
        #expect(try metadata(elements).titleSort == "T, The")
    }

    @Test("Other scripts of the title are kept by language")
    func alternates() throws {
        let data = try metadata(
            """
            <dc:title id="t" xml:lang="ja">吾輩は猫である</dc:title>
            <meta refines="#t" property="alternate-script" xml:lang="en">I Am a Cat</meta>
            <meta refines="#t" property="alternate-script" xml:lang="ja-Latn">Wagahai wa Neko de Aru</meta>
            """)
        #expect(data.title == "吾輩は猫である")
        #expect(data.alternateTitles == ["en": "I Am a Cat", "ja-Latn": "Wagahai wa Neko de Aru"])
    }

    @Test("Refinements of a bare id or a whole address are understood as well")
    func sloppyRefines() throws {
        for reference in ["t", "content.opf#t", " #t "] {
            let data = try metadata(
                "<dc:title id='t'>A</dc:title><meta refines='\(reference)' property='opf:file-as'>B</meta>")
            #expect(data.titleSort == "B")
        }
    }

    @Test("A book without title takes the file's name, and says so")
    func missing() throws {
        let archive = TestBook.archive(TestBook.package("<dc:title> </dc:title>"))
        let named = try archive.epub(name: "My Book.kepub.epub")
        #expect(named.metadata.title == "My Book.kepub")
        #expect(named.shortcomings.map(\.code) == [.missingTitle])
        let nameless = try archive.epub(name: nil)
        #expect(nameless.metadata.title == nil)
        #expect(nameless.shortcomings.map(\.code) == [.missingTitle])
        #expect(try archive.epub(name: ".epub").metadata.title == ".epub")
    }
}
