import Testing

@testable import Markup

@Suite("The beginning of a page shows its title and its images")
struct HTMLOutlineTests {
    private func outline(_ text: String, encoding: String? = nil) -> HTMLOutline {
        Array(text.utf8).withUnsafeBytes { HTMLOutline($0, encoding: encoding) }
    }

    @Test("Title, language, names and images of real pages are read")
    func page() {
        let page = outline(
            """
            <!DOCTYPE html><HTML lang=de><head><TITLE>A &amp; B &eacute;</TITLE>
            <meta name=Author content="C"><body><p><img alt=x src=a.jpg><IMG SRC='b.png'>
            """)
        #expect(page.title == "A & B é")
        #expect(page.language == "de")
        #expect(page.metas == ["author": "C"])
        #expect(page.images == ["a.jpg", "b.png"])
    }

    @Test("The image of an SVG drawing in XHTML counts, and its title does not replace that of the page")
    func drawing() {
        let page = outline(
            """
            <?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="fr"><head>
            <title>Übersicht</title></head><body><svg xmlns="http://www.w3.org/2000/svg"
            xmlns:xlink="http://www.w3.org/1999/xlink"><title>Zeichnung</title><image width="1" xlink:href="c.jpg"/></svg></body></html>
            """)
        #expect(page.title == "Übersicht")
        #expect(page.images == ["c.jpg"])
    }

    @Test("The encoding is that of the page, of its bytes, or the one given")
    func encodings() {
        let latin = Array("<meta charset=iso-8859-1><title>caf".utf8) + [0xE9] + Array("</title>".utf8)
        #expect(latin.withUnsafeBytes { HTMLOutline($0) }.title == "café")
        let cyrillic = Array("<title>".utf8) + [0xC4, 0xC1] + Array("</title>".utf8)
        #expect(cyrillic.withUnsafeBytes { HTMLOutline($0, encoding: "KOI8-R") }.title == "да")
        // The C library holds a letter back until it knows that no accent follows.
        #expect(outline("<meta charset=windows-1258><title>ba").title == "ba")
        let units = "<title>Łódź</title>".utf16
        let wide: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(wide.withUnsafeBytes { HTMLOutline($0) }.title == "Łódź")
    }

    @Test("Only the beginning of a long page is looked at")
    func bounded() {
        let page = "<title>a</title>" + String(repeating: "x", count: HTMLOutline.mostBytes) + "<img src=b>"
        #expect(outline(page).title == "a")
        #expect(outline(page).images.isEmpty)
        let images = outline(String(repeating: "<img src=a>", count: 1000)).images
        #expect(images.count == 64)
    }

    @Test("A page with changed or missing bytes never traps")
    func hostile() {
        let whole = Array(
            "<html><head><title>a&amp;b</title></head><body><p><img src='c'/></p></body></html>".utf8)
        var titles = 0
        for index in whole.indices {
            for value in [0x00, 0x22, 0x26, 0x2F, 0x3C, 0x3E, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[index] = value
                if bytes.withUnsafeBytes({ HTMLOutline($0) }).title != nil { titles += 1 }
            }
            if Array(whole[..<index]).withUnsafeBytes({ HTMLOutline($0) }).title != nil { titles += 1 }
        }
        #expect(titles > whole.count * 4)
        #expect(outline("").title == nil)
    }
}
