import Archives
import Foundation
import TestSupport
import Testing

@testable import Publications

@Suite("Annotations of PDF files are read")
struct PDFAnnotationTests {
    private static let annotations = [
        (
            10,
            "<< /Subtype /Highlight /C [1 0.5 0] /Contents (Compare\\rthis) /T (Ada) /M (D:20240501120000+02'00') >>"
        ),
        (11, "<< /Subtype /Link /Contents (no) >>"),
        (12, "<< /Subtype /Text /Contents \(utf16Hex("日本")) /C [0.5] /CreationDate (D:20240501) >>"),
        (13, "<< /Subtype /Ink >>"),
        (14, "<< /Subtype /Popup /Parent 10 0 R /Contents (Compare) >>"),
        (15, "<< /Subtype /Underline /F 2 /Contents (hidden) >>"),
        (16, "<< /Subtype /StrikeOut /C [0 0 0 1 9] >>"),
    ]

    /// A file with two pages: an array of annotations, and a reference to one.
    private static func builder(_ change: (inout PDFBuilder) -> Void = { _ in }) -> PDFBuilder {
        var builder = PDFBuilder()
        builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
        builder.object(2, "<< /Type /Pages /Count 2 /Kids [3 0 R 5 0 R] >>")
        builder.object(3, "<< /Type /Page /Parent 2 0 R /Annots [10 0 R 11 0 R 12 0 R 13 0 R] >>")
        builder.object(4, "<< >>")
        builder.object(5, "<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [6 0 R 3 0 R 2 0 R] >>")
        builder.object(6, "<< /Type /Page /Parent 5 0 R /Annots 7 0 R >>")
        builder.object(7, "[14 0 R 15 0 R 16 0 R << /Subtype /FreeText /Contents (direct) >>]")
        change(&builder)
        return builder
    }

    private static func file() -> [UInt8] {
        var builder = builder()
        for (number, body) in annotations { builder.object(number, body) }
        builder.table(PDFBuilder.trailer)
        return builder.bytes
    }

    private func read(_ bytes: [UInt8]) throws -> PDFAnnotations {
        try PDFAnnotations(from: DataByteSource(Data(bytes)), name: "paper.pdf")
    }

    private static let expected = [
        PDFAnnotation(
            kind: .highlight, page: 1, note: "Compare\nthis", author: "Ada", color: "#ff8000",
            modified: 1_714_557_600),
        PDFAnnotation(kind: .note, page: 1, note: "日本", color: "#808080", modified: 1_714_521_600),
        PDFAnnotation(kind: .highlight, page: 2),
        PDFAnnotation(kind: .note, page: 2, note: "direct"),
    ]

    @Test(
        "Marks and notes are read with page, colour, time and author; links, windows and what is hidden are not"
    )
    func kinds() throws {
        let found = try read(Self.file())
        #expect(found.annotations == Self.expected)
        #expect(found.shortcomings.isEmpty)
    }

    @Test("Annotations in object streams and in encrypted files without a password are read, too")
    func structures() throws {
        var packed = Self.builder()
        packed.pack(20, Self.annotations)
        packed.entryStream(30, PDFBuilder.trailer)
        #expect(try read(packed.bytes).annotations == Self.expected)
        // qpdf 12 refuses a tree of pages that contains itself.
        let file = Self.file().replacing(
            Array("[6 0 R 3 0 R 2 0 R]".utf8), with: Array("[6 0 R            ]".utf8))
        #expect(
            try read(qpdf(["--object-streams=generate"], file)).annotations == Self.expected)
        #expect(
            try read(qpdf(["--encrypt", "", "owner", "256", "--"], file)).annotations == Self.expected)
        let locked = try read(qpdf(["--encrypt", "secret", "owner", "256", "--"], file))
        #expect(locked.annotations.isEmpty && locked.shortcomings.map(\.code) == [.encrypted])
    }

    @Test("A damaged annotation spares the others, and says on which page it was")
    func damagedPart() throws {
        var builder = Self.builder()
        for (number, body) in Self.annotations where number != 12 { builder.object(number, body) }
        builder.object(12, "12 0 R")
        builder.table(PDFBuilder.trailer)
        let found = try read(builder.bytes)
        #expect(found.annotations == [Self.expected[0]] + Self.expected[2...])
        #expect(found.shortcomings.contains { $0.subject == "page 1" })
    }

    @Test("A damaged page spares those behind it, which keep their numbers")
    func damagedPage() throws {
        var builder = PDFBuilder()
        builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
        builder.object(2, "<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] >>")
        builder.object(3, "<< /Type /Page /Annots [<< /Subtype /Text /Contents (first) >>] >>")
        builder.object(4, "4 0 R")
        builder.object(5, "<< /Type /Page /Annots [<< /Subtype /Text /Contents (last) >>] >>")
        builder.table("/Root 1 0 R")
        let found = try read(builder.bytes)
        #expect(
            found.annotations == [
                PDFAnnotation(kind: .note, page: 1, note: "first"),
                PDFAnnotation(kind: .note, page: 3, note: "last"),
            ])
        #expect(found.shortcomings.contains { $0.subject == "page 2" })
    }

    @Test("No damage stops the program, and a far file is not read whole")
    func hostile() throws {
        var dice = SeededGenerator(seed: 11)
        let file = Self.file()
        var read = 0
        for _ in 0..<400 {
            var bytes = file
            for _ in 0..<Int.random(in: 1...6, using: &dice) {
                bytes[Int.random(in: bytes.indices, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
            }
            do {
                read += try self.read(bytes).annotations.isEmpty ? 0 : 1
            } catch {
                continue
            }
        }
        #expect(read > 100)
        for length in stride(from: 0, to: file.count, by: 7) {
            do {
                #expect(try self.read(Array(file[..<length])).annotations.count <= Self.annotations.count)
            } catch {
                #expect(error is PublicationError)
            }
        }
        let filler = [UInt8](repeating: 0x20, count: 4 << 20)
        var large = PDFBuilder()
        large.stream(40, "", filler)
        for (number, body) in [
            (1, "<< /Type /Catalog /Pages 2 0 R >>"), (2, "<< /Type /Pages /Kids [3 0 R] >>"),
            (3, "<< /Type /Page /Annots [10 0 R] >>"), Self.annotations[0],
        ] {
            large.object(number, body)
        }
        large.table("/Root 1 0 R")
        let source = FarSource(large.bytes)
        #expect(try PDFAnnotations(from: source).annotations == [Self.expected[0]])
        #expect(source.bytesRead < 256 << 10)
    }

    /// A page 612 points wide and 792 high with "Hello" at 100, 700 in 12-point letters. The expected place of the
    /// word was measured with pdftotext 22.12.
    @Test(
        "The lines of a highlight are where the page is shown, as pdftotext counts",
        arguments: [
            ("/MediaBox [0 0 612 792]", 100.0, 83.0), ("/MediaBox [50 40 662 832]", 50, 123),
            ("/MediaBox [662 832 50 40]", 50, 123), ("/MediaBox [0 0 612 792] /Rotate 90", 697, 100),
            ("/MediaBox [0 0 612 792] /Rotate -270", 697, 100),
            ("/MediaBox [0 0 612 792] /Rotate 180", 484, 697),
            ("/MediaBox [10 20 622 812] /Rotate 270", 103, 495), ("", 100, 83),
            ("/MediaBox [0 0 612 792] /CropBox [50 60 500 750]", 100, 83),
        ])
    func areas(_ page: String, _ left: Double, _ top: Double) throws {
        let mark = "<< /Subtype /Highlight /QuadPoints [100 709 128 709 100 697 128 697 1 2 3] >>"
        for isInherited in [false, true] {
            var builder = PDFBuilder()
            builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
            builder.object(2, "<< /Type /Pages /Kids [5 0 R] \(isInherited ? page : "/Rotate 90") >>")
            builder.object(5, "<< /Type /Pages /Kids [3 0 R] \(isInherited ? "" : "/Rotate 0") >>")
            builder.object(3, "<< /Type /Page \(isInherited ? "" : page) /Annots [\(mark)] >>")
            builder.table("/Root 1 0 R")
            let area = try #require(try read(builder.bytes).annotations.first?.areas.first)
            #expect(abs(area.left - left) < 6 && abs(area.top - top) < 6, "\(area)")
            let sides = [area.right - area.left, area.bottom - area.top]
            #expect(sides == [28, 12] || sides == [12, 28])
        }
    }

    @Test("A note, and a highlight with damaged corners, has no areas")
    func withoutAreas() throws {
        let quad = "/QuadPoints [1 2 3 4 5 6 7 8]"
        var builder = PDFBuilder()
        builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
        builder.object(2, "<< /Kids [3 0 R] >>")
        let marks = [
            "/Subtype /Text /Contents (x) \(quad)",
            "/Subtype /Underline /QuadPoints [1 2 3 (x) 5 6 7 8 1 2 3 4 5 6 7]",
            "/Subtype /Squiggly /QuadPoints 5",
        ]
        builder.object(3, "<< /Annots [\(marks.map { "<< \($0) >>" }.joined(separator: " "))] >>")
        builder.table("/Root 1 0 R")
        let found = try read(builder.bytes)
        #expect(found.annotations.map(\.areas) == [[], [], []] && found.shortcomings.isEmpty)
    }

    @Test("A file with endless pages or annotations is read up to a bound")
    func bounds() throws {
        var builder = PDFBuilder()
        builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
        let pages = (10..<14).map { "\($0) 0 R" }.joined(separator: " ")
        builder.object(2, "<< /Kids [\(pages) 2 0 R 1 0 R] >>")
        builder.object(3, "<< /Subtype /Text /Contents (x) >>")
        let many = String(repeating: "3 0 R ", count: 6_000)
        for number in 10..<14 { builder.object(number, "<< /Annots [\(many)] >>") }
        builder.table("/Root 1 0 R")
        let found = try read(builder.bytes)
        #expect(found.annotations.count == 10_000)
        #expect(found.annotations.last?.page == 2)
        #expect(found.shortcomings.map(\.code) == [.tooLarge])
    }

    @Test("A long text that all annotations share is read up to a bound")
    func sharedText() throws {
        var builder = PDFBuilder()
        builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
        builder.object(2, "<< /Kids [3 0 R] >>")
        let many = String(repeating: "<< /Subtype /Text /Contents 4 0 R >> ", count: 100)
        builder.object(3, "<< /Annots [\(many)] >>")
        builder.object(4, "(\(String(repeating: "x", count: 256 << 10)))")
        builder.table("/Root 1 0 R")
        let found = try read(builder.bytes)
        #expect(found.annotations.count == 32)
        #expect(found.shortcomings.map(\.code) == [.tooLarge])
    }

    @Test("Lists that all pages share are read up to a bound, and few of their shortcomings are kept")
    func sharedLists() throws {
        var builder = PDFBuilder()
        builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
        let pages = (10..<110).map { "\($0) 0 R" }.joined(separator: " ")
        builder.object(2, "<< /Kids [\(pages)] >>")
        builder.object(3, "[\(String(repeating: "4 0 R ", count: 5_000))]")
        builder.object(4, "4 0 R")
        for number in 10..<110 { builder.object(number, "<< /Annots 3 0 R >>") }
        builder.table("/Root 1 0 R")
        let found = try read(builder.bytes)
        #expect(found.annotations.isEmpty)
        #expect(found.shortcomings.count <= 21)
        #expect(found.shortcomings.contains { $0.code == .tooLarge && $0.subject == "page 40" })
    }

    @Test("A file that is not a PDF file, or cannot be read, is an error")
    func errors() throws {
        #expect(throws: PublicationError.self) { try read(Array("no PDF file".utf8)) }
        #expect(throws: PublicationError.self) {
            try PDFAnnotations(from: FarSource(Self.file(), failsFrom: 1))
        }
    }
}
