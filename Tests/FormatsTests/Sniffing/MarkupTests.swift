import FormatSamples
import Formats
import Foundation
import Testing

@Suite("HTML is recognised by its beginning")
struct HTMLTests {
    @Test(
        "A root html in any case is HTML, with or without namespace, also in a damaged document",
        arguments: [
            "<html/>", "<html>", "<HTML><body>", "<Html lang='en'>", "<html lang=en>", "<html\n>",
            "<h:html xmlns:h='x'>",
            "<html xmlns=\"http://www.w3.org/1999/xhtml\"><p>&nbsp;</p>", "\u{FEFF}<html>", " \r\n\t<html>",
            "\u{FEFF} \n<?xml version=\"1.0\"?><html>", "\n<?xml version='1.0'?>\n<!-- - > -- --><html>",
            "<?xml-stylesheet href='a>b'?><html>", "<?php echo '<feed>' ?><html>",
            "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\"><html>&nbsp;",
            "<!DOCTYPE x [<!ENTITY a \"]>\"><!-- ]> ' --><?p ]> ?><!ENTITY b '&a;&a;'>]><html>&b;",
            "<html a=\">\" b='<feed>'>", "<html disabled>", "<html a = b>", "<html></html",
        ])
    func root(_ text: String) {
        #expect(guess(text) == .html)
    }

    @Test(
        "A document type html in any case is HTML, even if the rest is damaged",
        arguments: [
            "<!doctype html>", "<!DOCTYPE HTML>", "<!DocType Html ><p>no root",
            "<!doctype html SYSTEM 'about:legacy-compat'>",
            "\u{FEFF}\n<!doctype html>\n<p", "<!doctype html\n>", "<!doctype html>text",
            "<!doctype html><feed>",
            "<?xml version='1.0'?><!DOCTYPE html><", "<!-- c --><!doctype html><p",
            "<!doctype html foo'bar><p>",
        ])
    func doctype(_ text: String) {
        #expect(guess(text) == .html)
    }

    @Test(
        "Content that only looks like HTML is not HTML",
        arguments: [
            "<htmlx>", "<xhtml>", "<html", "< html>", "<!doctype htmlx>", "<!doctype book><html>",
            "<!doctypehtml>",
            "text <html>", "<p><html>", "<!-- <html>", "<!-- html --><p>", "<body>", "<head>", "<html<html>",
            "<1html>",
            "<?xml <html>", "<!html>", "<![CDATA[<html>]]>", "</html>", "<html\u{0}>",
            "<!DOCTYPE book><book>",
        ])
    func nearMiss(_ text: String) {
        #expect(guess(text) == nil)
    }

    @Test("A document type html after a comment does not beat the root of another format")
    func commentBeforeDoctype() {
        #expect(guess("<!-- c --><!DOCTYPE html><feed/>") == .opds1Feed)
    }
}

@Suite("OPDS 1 is recognised by its root element")
struct OPDS1Tests {
    @Test(
        "A root feed or entry in Atom's namespace or none counts, with any prefix",
        arguments: [
            ("<feed xmlns='http://www.w3.org/2005/Atom'>", Format.opds1Feed), ("<feed/>", .opds1Feed),
            ("<a:feed xmlns:a='http://www.w3.org/2005/Atom'>", .opds1Feed), ("<atom:feed>", .opds1Feed),
            ("<feed xmlns=''>", .opds1Feed), ("<feed xmlns:x='http://example.com'>", .opds1Feed),
            ("<entry xmlns='http://www.w3.org/2005/Atom'>", .opds1Entry), ("<entry>", .opds1Entry),
            ("<feed xmlns='http://www.w3.org/2005/&#65;tom'>", .opds1Feed),
        ])
    func roots(_ text: String, _ format: Format) {
        #expect(guess(text) == format)
    }

    @Test(
        "Another case, name or namespace does not",
        arguments: [
            "<Feed>", "<FEED>", "<feeds>", "<Entry>", "<feed xmlns='http://example.com/'>",
            "<a:feed xmlns:a='http://purl.org/atom/ns#'>", "<entry xmlns='http://www.w3.org/2005/atom'>",
            "<rss>",
            "<feed xmlns='http://www.w3.org/2005/Atom", "<:feed>x", "<a:>",
        ])
    func nearMiss(_ text: String) {
        #expect(guess(text) == nil)
    }
}

@Suite("Markup is read in every encoding")
struct MarkupEncodingTests {
    static let encodings: [(String.Encoding, [UInt8])] = [
        (.utf16LittleEndian, [0xFF, 0xFE]), (.utf16BigEndian, [0xFE, 0xFF]),
        (.utf32LittleEndian, [0xFF, 0xFE, 0, 0]), (.utf32BigEndian, [0, 0, 0xFE, 0xFF]),
        (.utf8, [0xEF, 0xBB, 0xBF]),
    ]

    @Test("A byte order mark decides the encoding", arguments: encodings)
    func marked(_ encoding: String.Encoding, _ mark: [UInt8]) throws {
        let text = try #require("\n<?xml version='1.0'?>\n<feed title='é'/>".data(using: encoding))
        #expect(guess(mark + text) == .opds1Feed)
        let context = Format.BytesSnifferContext(bytes: { Data(mark + text) })
        #expect(context.contentAsXml?.documentNode.attributes == ["title": "é"])
    }

    @Test(
        "UTF-16 without a mark is known by its declaration",
        arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
    func declared(_ encoding: String.Encoding) throws {
        let text = try #require("<?xml version='1.0' encoding='UTF-16'?><html/>".data(using: encoding))
        #expect(guess([UInt8](text)) == .html)
    }

    @Test("Latin-1 is known by its declaration, and bytes that are not UTF-8 do not matter before the root")
    func latin1() {
        let text =
            Array("<?xml version='1.0' encoding=\"ISO-8859-1\"?><!-- ".utf8) + [0xE9]
            + Array(" --><feed t='".utf8)
            + [0xE9] + Array("'>".utf8)
        let context = Format.BytesSnifferContext(bytes: { Data(text) })
        #expect(context.contentAsXml?.documentNode.attributes["t"] == "é")
        #expect(guess(text) == .opds1Feed)
        #expect(guess(Array("<!-- ".utf8) + [0xFF, 0xC0] + Array(" --><html>".utf8)) == .html)
    }
}

@Suite("The root element is found within bounds")
struct XmlViewTests {
    private func node(_ text: String) -> XmlNode? {
        Format.BytesSnifferContext(bytes: { Data(text.utf8) }).contentAsXml?.documentNode
    }

    @Test("Name, prefix, namespace and attributes are reported")
    func parts() throws {
        let root = try #require(
            node("<a:b xmlns:a='urn:x&amp;y' c = \"1 &lt; 2 &#x41;&#66; &bomb; &\" c='2' d=''>"))
        #expect(root.tag == "b")
        #expect(root.prefix == "a")
        #expect(root.namespace == "urn:x&y")
        #expect(root.attributes == ["xmlns:a": "urn:x&y", "c": "1 < 2 AB &bomb; &", "d": ""])
    }

    @Test("An entity bomb is not expanded, and the root behind it is found at once")
    func bomb() {
        var text = "<!DOCTYPE lolz [<!ENTITY l0 'lol'>"
        for level in 1..<60 {
            text += "<!ENTITY l\(level) '\(String(repeating: "&l\(level - 1);", count: 10))'>"
        }
        text += "]><feed a='&l59;'>&l59;"
        #expect(node(text)?.tag == "feed")
        #expect(node(text)?.attributes == ["a": "&l59;"])
    }

    @Test(
        "A root behind 64 KiB of comments is not looked for, one before is found",
        arguments: [60_000, 70_000])
    func distance(_ count: Int) {
        let text = "<!-- \(String(repeating: "x", count: count)) --><html>"
        let report = Format.explain(bytes: { Data(text.utf8) })
        #expect(report.format == (count < 65_536 ? .html : nil))
        #expect(report.bytesRead <= 65_536)
    }

    @Test("Every prefix of a rich document is read without a trap, and gives its root or nothing")
    func truncated() {
        let text =
            "\u{FEFF} <?xml version='1.0'?><!-- c --><?p i?><!DOCTYPE f [<!ENTITY a 'b'>]><x:feed xmlns:x='u' é=\"&amp;\" a=b c/>"
        let bytes = Array(text.utf8)
        for length in 0...bytes.count {
            let context = Format.BytesSnifferContext(bytes: { Data(bytes[..<length]) })
            #expect(context.contentAsXml?.documentNode.tag == (length == bytes.count ? "feed" : nil))
        }
        for index in bytes.indices {
            var damaged = bytes
            for byte in [0, 0x22, 0x3C, 0x3E, 0x5B, 0xFF] as [UInt8] {
                damaged[index] = byte
                let context = Format.BytesSnifferContext(bytes: { Data(damaged) })
                let tag = context.contentAsXml?.documentNode.tag
                #expect(tag == nil || tag?.isEmpty == false)
            }
        }
    }
}
