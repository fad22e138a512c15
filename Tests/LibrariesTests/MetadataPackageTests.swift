import BookModel
import Testing

@testable import Libraries

@Suite("Metadata of a backup are valid XML for any title")
struct MetadataPackageTests {
    @Test(
        "Characters with a meaning in XML are escaped, and characters that it cannot hold are left out",
        arguments: [
            ("Emma", "Emma"), ("Ærø — ÿ", "Ærø — ÿ"), ("\u{FB01}n", "\u{FB01}n"), ("a & b", "a &amp; b"),
            ("<a>", "&lt;a&gt;"), ("a\"b", "a&quot;b"), ("a\nb\tc\rd", "a&#10;b&#9;c&#13;d"),
            ("a\u{1}b", "ab"), ("a\u{FFFE}b", "ab"), ("a\u{FFFF}b", "ab"),
        ])
    func title(_ title: String, _ written: String) {
        let text = MetadataPackage.text(Book(title: title), cover: nil)
        #expect(text.contains("<dc:title>\(written)</dc:title>\n"))
    }
}
