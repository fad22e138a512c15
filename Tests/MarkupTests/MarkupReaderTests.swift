import TestSupport
import Testing

@testable import Markup

@Suite("XML found in books is read as far as possible")
struct MarkupReaderTests {
    private let limits = MarkupLimits(bytes: 1 << 22, elements: 10_000, depth: 32)

    private func read(_ text: String) throws -> MarkupDocument { try read(Array(text.utf8)) }

    private func read(_ bytes: [UInt8], _ limits: MarkupLimits? = nil) throws -> MarkupDocument {
        try bytes.withUnsafeBytes { try MarkupReader(limits: limits ?? self.limits).read($0) }
    }

    @Test("Names are without prefix, and namespaces are those of the declarations")
    func names() throws {
        let root = try read("<a:r xmlns:a='urn:a' a:x='1' y='2'><b/>t<a:b>u</a:b></a:r>").root
        #expect(root.name == "r")
        #expect(root.namespace == "urn:a")
        #expect(root["x"] == "1")
        #expect(root["y"] == "2")
        #expect(root.all("b").count == 2)
        #expect(root.all("b").map(\.namespace) == [nil, "urn:a"])
        #expect(root.text == "t")
        #expect(root.deepText == "tu")
    }

    @Test("An undeclared prefix does no harm")
    func undeclaredPrefix() throws {
        let document = try read("<r><dc:title opf:role='x'>T</dc:title></r>")
        let title = try #require(document.root.first("title"))
        #expect(title.text == "T")
        #expect(title["role"] == "x")
    }

    @Test("A document that is cut off is read to its end, and the fault is reported")
    func truncated() throws {
        let document = try read("<r><a>1</a><b>2</b><c>3")
        #expect(document.root.children.map(\.name) == ["a", "b", "c"])
        #expect(document.root.first("c")?.text == "3")
        #expect(document.fault != nil)
        #expect(try read("<r/>").fault == nil)
    }

    @Test("A tag that is closed wrongly or a bare ampersand does not end the reading")
    func sloppy() throws {
        let document = try read("<r><a>R & B</a><b>x</c><d e=f>y</d></r>")
        #expect(document.root.first("a")?.text == "R & B")
        #expect(document.root.first("b")?.text == "x")
        #expect(document.root.first("d") != nil)
        #expect(document.fault != nil)
    }

    @Test("A bare ampersand means itself, in texts and in values, and CDATA stays as it is")
    func ampersands() throws {
        let root = try read("<r x='a?b&c=d'>AT&T & &lt;<![CDATA[& &amp;]]></r>").root
        #expect(root["x"] == "a?b&c=d")
        #expect(root.text == "AT&T & <& &amp;")
    }

    @Test("Declared entities are never expanded, in texts or in values")
    func entities() throws {
        let bomb = """
            <!DOCTYPE r [<!ENTITY a "0123456789"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">\
            <!ENTITY x SYSTEM "file:///etc/passwd">]><r v="[&b;]"><t>[&b;&x;]</t><u>ok</u></r>
            """
        let document = try read(bomb)
        #expect(document.declaresEntities)
        #expect(document.root.first("t")?.text == "[]")
        #expect(document.root["v"].map { !$0.contains("0") } ?? true)
        #expect(document.root.first("u")?.text == "ok")
    }

    @Test("A document type without entities is not reported")
    func documentType() throws {
        let document = try read(
            "<!DOCTYPE package PUBLIC \"+//ISBN 0-9673008-1-9//DTD OEB 1.2 Package//EN\" \"http://example.org/x.dtd\"><r>a</r>"
        )
        #expect(!document.declaresEntities)
        #expect(document.fault == nil)
        #expect(document.root.text == "a")
    }

    @Test("The five entities of XML are known, and those of HTML by their names")
    func htmlEntities() throws {
        #expect(try read("<r>&lt;&amp;&gt;&quot;&apos;&#233;</r>").root.text == "<&>\"'é")
        #expect(try read("<r>caf&eacute;&nbsp;x</r>").root.text == "café\u{A0}x")
        #expect(try read("<r>&Eacute;&hellip;&euro;&unknown;.</r>").root.text == "É…€.")
    }

    @Test(
        "Encodings are taken from the mark, the declaration, or the bytes",
        arguments: [
            ("<r>Łódź</r>", Array("<r>Łódź</r>".utf8)),
            ("mark", [0xEF, 0xBB, 0xBF] + Array("\n<?xml version='1.0'?><r>Łódź</r>".utf8)),
            (
                "utf-16 big",
                [0xFE, 0xFF] + "<r>Łódź</r>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            ),
            ("utf-16 little", "<r>Łódź</r>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
            (
                "utf-32",
                "<r>Łódź</r>".unicodeScalars.flatMap { [0, 0, UInt8($0.value >> 8), UInt8($0.value & 0xFF)] }
            ),
            ("utf-16 said, utf-8 meant", Array("<?xml version='1.0' encoding='utf-16'?><r>Łódź</r>".utf8)),
            (
                "iso-8859-2",
                Array("<?xml version=\"1.0\" encoding=\"iso-8859-2\"?><r>".utf8) + [0xA3, 0xF3, 0x64, 0xBC]
                    + Array("</r>".utf8)
            ),
        ] as [(String, [UInt8])])
    func encodings(name: String, bytes: [UInt8]) throws {
        #expect(try read(bytes).root.text == "Łódź")
    }

    @Test("Text that claims or implies UTF-8 but is not UTF-8 is Windows-1252")
    func notUTF8() throws {
        for head in ["", "<?xml version='1.0' encoding='utf-8'?>"] {
            let bytes = Array((head + "<r>caf").utf8) + [0xE9, 0x93] + Array("</r>".utf8)
            #expect(try read(bytes).root.text == "café“")
        }
    }

    @Test("A byte that its encoding does not have costs one character, not the rest of the document")
    func badBytes() throws {
        let bytes = Array("<r>caf".utf8) + [0xE9, 0x81] + Array(" x</r>".utf8)
        #expect(try read(bytes).root.text == "café\u{FFFD} x")
        let greek =
            Array("<?xml version='1.0' encoding='iso-8859-7'?><r>".utf8) + [0xE1, 0xFF, 0xE2]
            + Array("</r>".utf8)
        #expect(try read(greek).root.text == "α\u{FFFD}β")
        let long = Array(String(repeating: "é", count: 40_000).utf16.map { UInt8($0) })
        let page = try read(
            Array("<?xml version='1.0' encoding='latin1'?><r>".utf8) + long + Array("</r>".utf8))
        #expect(page.root.text == String(repeating: "é", count: 40_000))
    }

    @Test("One damaged byte does not turn a whole UTF-8 document into another encoding")
    func damagedUTF8() throws {
        let bytes = Array("<r>żółć ".utf8) + [0xFF] + Array(" ąę</r>".utf8)
        #expect(try read(bytes).root.text == "żółć \u{FFFD} ąę")
    }

    @Test("Too many bytes or attributes are refused before the parser sees them")
    func refusals() throws {
        #expect(throws: MarkupError.self) {
            try read(Array(repeating: 0x20, count: limits.bytes + 1))
        }
        func attributes(_ count: Int) -> String { (0..<count).map { "x\($0)=''" }.joined(separator: " ") }
        #expect(try read("<r \(attributes(256))/>").root.attributes.map(\.name).count == 256)
        for text in [
            "<r \(attributes(257))/>", "<r \"><b \(attributes(300_000))/></r>",
            "<? it's <b \(attributes(9000))/>",
        ] {
            #expect(throws: MarkupError.self) { try read(text) }
        }
        // Equals signs in a text do not count as attributes.
        let prose = String(repeating: "a='b' ", count: 400)
        #expect(try read("<r>\(prose)</r>").root.text == prose)
    }

    @Test("Elements beyond the limits are left out and reported")
    func bounds() throws {
        let deep = try read(
            String(repeating: "<a>", count: 100) + "x" + String(repeating: "</a>", count: 100))
        var depth = 1
        var element = deep.root
        while let child = element.children.first {
            element = child
            depth += 1
        }
        #expect(depth == 32)
        #expect(deep.fault?.text.contains("deeper than 32") == true)
        let many = try read("<a>" + String(repeating: "<b/>", count: 20_000) + "</a>")
        #expect(many.root.children.count == 9_999)
        #expect(many.fault?.text.contains("10000") == true)
        let spaces = (0..<100).map { "xmlns:n\($0)='u'" }.joined(separator: " ")
        let nested = try read(String(repeating: "<a \(spaces)>", count: 20))
        #expect(nested.fault?.text.contains("namespaces") == true)
    }

    @Test("An empty file or one without markup is an error")
    func nothing() {
        for bytes in [[], Array("   \n".utf8), Array("plain text".utf8), [0], [0xFF, 0xFE], [0x3C]]
            as [[UInt8]]
        {
            #expect(throws: MarkupError.self) { try read(bytes) }
        }
    }

    @Test("A document with changed or missing bytes never traps")
    func hostile() throws {
        let whole = Array(
            "<?xml version='1.0' encoding='utf-8'?><!DOCTYPE a [<!ENTITY b 'c'>]><a x='&b;'><!-- d --><![CDATA[e]]><f>&amp;ü</f></a>"
                .utf8)
        var read = 0
        for index in whole.indices {
            for value in [0x00, 0x22, 0x26, 0x2F, 0x3C, 0x3D, 0x3E, 0x5B, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[index] = value
                do { _ = try self.read(bytes) } catch is MarkupError { continue }
                read += 1
            }
            do { _ = try self.read(Array(whole[..<index])) } catch is MarkupError { continue }
        }
        #expect(read > whole.count * 4)
    }
}
