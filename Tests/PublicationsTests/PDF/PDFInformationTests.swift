import Publications
import Testing

@Suite("The document information of a PDF file becomes metadata")
struct PDFInformationTests {
    @Test("Title, authors, subject, keywords and dates have their places")
    func everything() throws {
        let metadata = try metadata(
            info: "/Title (A Title) /Author (Jane Doe) /Subject (About) /Keywords (one, two) /Producer (p) "
                + "/CreationDate (D:20200229123456+01'30') /ModDate (D:20210102123456+01'30')")
        #expect(metadata.title == "A Title")
        #expect(metadata.authors == [Contributor("Jane Doe", roles: ["aut"])])
        #expect(metadata.description == "About")
        #expect(metadata.subjects == ["one", "two"])
        #expect(metadata.modified?.description == "2021-01-02T12:34:56+01:30")
        #expect(metadata.pageCount == 1)
    }

    @Test(
        "Strings are read in every way they can be written",
        arguments: [
            ("(plain)", "plain"), ("(a \\(nested (one)\\) b)", "a (nested (one)) b"), ("(a\\\nb)", "ab"),
            ("(\\101\\102\\7)", "AB"), ("(a\\qb)", "aqb"), ("<48 69 2>", "Hi"), ("(tab\\there)", "tab here"),
            (hex([0x80, 0x92, 0xA0]), "\u{2022}\u{2122}\u{20AC}"), (hex([0x1F, 0xE9]), "\u{2DC}é"),
            (utf16Hex("日本語 \u{1F4DA}"), "日本語 \u{1F4DA}"),
            (utf16Hex("日本語", littleEndian: true), "日本語"),
            (hex([0xEF, 0xBB, 0xBF] + Array("Žluť".utf8)), "Žluť"), (hex(Array("Žluť".utf8)), "Žluť"),
            (hex([0xFE, 0xFF, 0, 0x1B, 0x65, 0x6E, 0, 0x1B, 0, 0x41]), "A"), ("/AName", "AName"),
        ])
    func strings(written: String, text: String) throws {
        #expect(try metadata(info: "/Title \(written)").title == text)
    }

    @Test("An odd byte or half a pair in UTF-16 does no harm")
    func brokenUTF16() throws {
        #expect(try metadata(info: "/Title \(hex([0xFE, 0xFF, 0, 0x41, 0]))").title == "A")
        #expect(try metadata(info: "/Title \(hex([0xFE, 0xFF, 0, 0x41, 0xD8, 0x3D]))").title == "A\u{FFFD}")
    }

    @Test("A blank title does not count, and the file's name is used instead")
    func blankTitle() throws {
        let info = try readPDF(PDFBuilder.finished(info: "/Title ( \\000 )"), name: "My Book.pdf")
        #expect(info.metadata.title == "My Book")
        #expect(info.shortcomings.map(\.code) == [.missingTitle])
    }

    @Test(
        "Authors in one text are separated",
        arguments: [
            ("A B; C D", ["A B", "C D"]), ("A & B", ["A", "B"]), ("Verne, Jules", ["Verne, Jules"]),
            ("A and B", ["A", "B"]), ("A, B, and C", ["A", "B", "C"]), ("Anderson", ["Anderson"]),
            ("A; A;; ", ["A"]),
        ])
    func authors(text: String, names: [String]) throws {
        #expect(try metadata(info: "/Author (\(text))").authors.map(\.name) == names)
    }

    @Test("Keywords are divided by semicolons where there are any, else by commas")
    func keywords() throws {
        #expect(try metadata(info: "/Keywords (a, b; c)").subjects == ["a, b", "c"])
        #expect(try metadata(info: "/Keywords (a, b,, a)").subjects == ["a", "b"])
    }

    @Test(
        "Dates are read as far as they are right",
        arguments: [
            ("D:2020", "2020"), ("D:202013", "2020"), ("D:20200230", "2020-02"), ("20200301", "2020-03-01"),
            ("D:20200301250000", "2020-03-01"), ("D:20200301102030Z", "2020-03-01T10:20:30Z"),
            ("D:20200301102030-05'00", "2020-03-01T10:20:30-05:00"), ("2020-03-01", "2020-03-01"),
            ("D:191000301102030", "2000-03-01T10:20:30"), ("D:20200301102030+99'00'", "2020-03-01T10:20:30"),
        ])
    func dates(written: String, date: String) throws {
        #expect(try metadata(info: "/ModDate (\(written))").modified?.description == date)
    }

    @Test("The time when the file was made is not a date of publication")
    func creation() throws {
        #expect(try metadata(info: "/CreationDate (D:2012)").published == nil)
        let packet = xmp("<xmp:CreateDate>2012-01-01</xmp:CreateDate>")
        #expect(try readPDF(pdf(packet: packet, info: "/CreationDate (D:2012)")).metadata.published == nil)
    }

    @Test("Impossible values are left out and named")
    func badValues() throws {
        let info = try readPDF(
            PDFBuilder.finished(info: "/Title [1 2] /Author (A) /ModDate (yesterday)"))
        #expect(info.metadata.authors.map(\.name) == ["A"])
        #expect(info.metadata.modified == nil)
        let bad = info.shortcomings.filter { $0.code == .badValue }.map(\.subject)
        #expect(bad == ["Info/Title", "Info/ModDate"])
    }

    @Test("The language of the catalogue is the language")
    func language() throws {
        #expect(try readPDF(PDFBuilder.finished(catalogue: "/Lang (pt-BR)")).metadata.languages == ["pt-BR"])
    }

    @Test("Values may be references, and names may be written with numbers")
    func references() throws {
        var builder = PDFBuilder.simple(info: "/T#69tle 9 0 R /Author 99 0 R")
        builder.object(9, "(Elsewhere)")
        builder.table(PDFBuilder.trailer)
        let info = try readPDF(builder.bytes)
        #expect(info.metadata.title == "Elsewhere")
        #expect(info.metadata.authors.isEmpty)
        #expect(info.shortcomings.isEmpty)
    }
}
