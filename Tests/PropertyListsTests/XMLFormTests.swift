import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("XML property lists of Apple's tools are read safely")
struct XMLFormTests {
    private func list(_ content: String, before: String = "") throws(PropertyListError) -> PropertyList {
        try PropertyList(parsing: (before + "<plist version=\"1.0\">\(content)</plist>").utf8)
    }

    @Test("A list as an iPad writes it is read")
    func realList() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <!-- <dict> -->
            <dict>
            \t<key>Name</key>
            \t<string>Caf&#233; &amp; &lt;Tea&gt; <![CDATA[<b>&amp;</b>]]></string>
            \t<key>importDate</key>
            \t<date>2022-08-23T01:00:18Z</date>
            \t<key>blob</key>
            \t<data>
            \tAAEC
            \t/w==
            \t</data>
            \t<key>yes</key><true/><key>no</key><false></false>
            \t<key>half</key><real> 0.5 </real><key>hex</key><integer>0xFF</integer>
            </dict>
            </plist>

            """
        let date = Date(timeIntervalSince1970: 1_661_216_418)
        let expected: PropertyList = [
            "Name": "Café & <Tea> <b>&amp;</b>", "importDate": .date(date),
            "blob": .data(Data([0, 1, 2, 255])), "yes": true, "no": false, "half": .real(0.5), "hex": 255,
        ]
        #expect(try PropertyList(parsing: text.utf8) == expected)
        #expect(try PropertyList(parsing: Array("\u{FEFF}".utf8) + text.utf8) == expected)
        #expect(try PropertyList(parsing: text.replacingOccurrences(of: "\n", with: "\r\n").utf8) == expected)
    }

    @Test("Foundation reads the written lists, and its lists are read here")
    func foundation() throws {
        for form in PropertyList.Form.allCases {
            let bytes = try PropertyListTests.plain.encoded(form)
            let read = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
            for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
                let written = try PropertyListSerialization.data(
                    fromPropertyList: read, format: format, options: 0)
                #expect(try PropertyList(parsing: written) == PropertyListTests.plain)
            }
        }
    }

    @Test("Python's plistlib reads the written lists", arguments: PropertyList.Form.allCases)
    func python(form: PropertyList.Form) throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("list.plist")
        try Data(try PropertyListTests.plain.encoded(form)).write(to: file)
        let script = """
            import plistlib, sys
            d = plistlib.load(open(sys.argv[1], 'rb'))
            assert d['Text'] == 'Ünïcödé 漢字 🙂 & <tag>', d['Text']
            assert d['Large'] == 2**63 - 1 and d['Negative'] == -5 and d['Half'] == 0.5 and d['Yes'] is True
            assert d['Data'] == bytes([0, 1, 254, 255]) and d['Date'].isoformat() == '2001-01-01T00:16:40'
            print(len(d['Many']))
            """
        let result = try runProgram("python3", ["-c", script, file.path])
        #expect(result.output == "40\n", "\(result.errors)")
    }

    @Test("Entities of the list's own, and definitions that could bring some, are refused")
    func entities() {
        for (before, content) in [
            ("<!DOCTYPE plist [<!ENTITY a \"aaaaaaaaaa\">]>", "<string>&a;</string>"),
            ("", "<string>&nbsp;</string>"), ("", "<string>&#0;</string>"), ("", "<string>&#xD800;</string>"),
            ("", "<string>& </string>"), ("<!ELEMENT a>", "<string/>"),
        ] {
            #expect(throws: PropertyListError.self) { try list(content, before: before) }
        }
    }

    @Test("Another encoding than UTF-8 is refused instead of guessed")
    func encodings() {
        let latin = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>"
        #expect(throws: PropertyListError.self) { try list("<string/>", before: latin) }
        #expect(throws: PropertyListError.self) { try PropertyList(parsing: [0xFE, 0xFF, 0, 0x3C]) }
        let bytes = Array("<plist><string>".utf8) + [0xFF] + Array("</string></plist>".utf8)
        #expect(throws: PropertyListError.self) { try PropertyList(parsing: bytes) }
    }

    @Test(
        "Meaningless lists are refused",
        arguments: [
            "<dict><key>a</key></dict>", "<dict><string>a</string></dict>", "<array>text</array>",
            "<dict><key>a</key><true/><key>a</key><false/></dict>", "<integer>1x</integer>",
            "<integer>18446744073709551616</integer>", "<real>fast</real>", "<date>today</date>",
            "<date>2022-13-01T00:00:00Z</date>", "<data>*</data>", "<null/>", "<string><b/></string>",
            "<true/><true/>", "<string>a</integer>", "",
        ])
    func nonsense(content: String) {
        #expect(throws: PropertyListError.self) { try list(content) }
    }

    @Test("More values than the limit are refused, and as many are not")
    func limits() throws {
        let limits = PropertyListLimits(bytes: 1000, values: 5, depth: 2)
        let four = "<plist><array><true/><true/><true/><true/></array></plist>"
        #expect(try PropertyList(parsing: four.utf8, limits: limits) == [true, true, true, true])
        for text in [
            "<plist><array><true/><true/><true/><true/><true/></array></plist>",
            "<plist><array><array><array><array/></array></array></array></plist>",
            "<plist><string>" + String(repeating: "a", count: 1000) + "</string></plist>",
        ] {
            #expect(throws: PropertyListError.self) { try PropertyList(parsing: text.utf8, limits: limits) }
        }
    }

    @Test("A text that XML cannot hold is refused when writing, and binary lists hold it")
    func control() throws {
        let list: PropertyList = ["a": "bell \u{7}"]
        #expect(throws: PropertyListError.self) { try list.encoded(.xml) }
        #expect(try PropertyList(parsing: try list.encoded(.binary)) == list)
    }

    @Test(
        "Dates come back to the second",
        arguments: [0, 1, -1, 86_399, 1_000_000_000, -978_307_200, -63_114_076_800, 252_423_993_599])
    func dates(seconds: Double) throws {
        let list = PropertyList.date(Date(timeIntervalSinceReferenceDate: seconds))
        #expect(try PropertyList(parsing: try list.encoded(.xml)) == list)
    }
}
