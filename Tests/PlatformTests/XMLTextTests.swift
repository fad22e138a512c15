import Platform
import Testing

@Suite("Texts are written into XML")
struct XMLTextTests {
    /// Has every character that is treated in a special way, one of them with a combining mark.
    private static let text = "a<\u{301}b> & \"c\" 'd'\t\n\r\u{1}\u{FFFE}é"

    @Test("What ends a text or an attribute is an entity, also before a combining mark")
    func escapes() {
        func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
        #expect(
            bytes(XMLText.escaped(Self.text))
                == bytes("a&lt;\u{301}b&gt; &amp; \"c\" 'd'\t\n&#13;é"))
        #expect(
            bytes(XMLText.escaped(Self.text, quotes: .double, whiteSpace: true))
                == bytes("a&lt;\u{301}b&gt; &amp; &quot;c&quot; 'd'&#9;&#10;&#13;é"))
        #expect(
            bytes(XMLText.escaped(Self.text, quotes: .all, forbidden: "?"))
                == bytes("a&lt;\u{301}b&gt; &amp; &quot;c&quot; &#39;d&#39;\t\n&#13;??é"))
        #expect(XMLText.escaped("plain") == "plain" && XMLText.escaped("") == "")
        // Characters whose bytes begin like those of U+FFFE.
        #expect(XMLText.escaped("\u{FFFF}ﬁ！\u{FFFD}\u{FEFF}\u{FFFE}") == "ﬁ！\u{FFFD}\u{FEFF}")
    }

    @Test("Exactly the characters that XML does not allow are left out")
    func allowed() {
        let scalars = (UInt32(0)...0x1_0010).compactMap { Unicode.Scalar($0) }
        let wrong = scalars.filter { XMLText.escaped(String($0)).isEmpty == XMLText.isAllowed($0) }
        #expect(wrong.isEmpty)
    }

    @Test("What was escaped can be read again")
    func reads() {
        let allowed = String(
            String.UnicodeScalarView(Self.text.unicodeScalars.filter(XMLText.isAllowed)))
        for quotes in [XMLText.Quotes.none, .double, .all] {
            let written = XMLText.escaped(Self.text, quotes: quotes, whiteSpace: true)
            #expect(XMLText.plain(written).utf8.elementsEqual(allowed.utf8))
        }
        #expect(XMLText.plain("&apos;&amp;lt;&nbsp;&") == "'&lt;&nbsp;&")
    }
}
