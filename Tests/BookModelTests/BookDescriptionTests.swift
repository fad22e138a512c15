import BookModel
import Testing

@Suite("Descriptions are shown without HTML")
struct BookDescriptionTests {
    @Test(
        "Tags and entities go, text stays",
        arguments: [
            ("<p>One</p>\n<p>two&nbsp;&amp; <b class=\"x\">three</b></p>", "One two & three"),
            ("plain  text", "plain text"), ("1 < 2, and 3 > 2", "1 < 2, and 3 > 2"), ("a<br/>b", "a b"),
            ("", ""),
            ("<!-- note -->ä", "ä"), ("open <b", "open <b"), ("&amp;lt;", "&lt;"),
            ("&unknown; &", "&unknown; &"),
            ("<p> </p>", ""), ("5 <3 ok>", "5 <3 ok>"),
        ])
    func plain(html: String, text: String) {
        #expect(Book(description: html).plainDescription == text)
    }

    @Test("A book without a description has none")
    func none() { #expect(Book().plainDescription == nil) }

    @Test("Many tags that do not end take no long time")
    func many() {
        let text = String(repeating: "<a", count: 200_000)
        #expect(Book(description: text).plainDescription == text)
        #expect(Book(description: text + ">").plainDescription == "")
    }
}
