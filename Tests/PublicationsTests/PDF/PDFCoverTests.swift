import Formats
import Testing

@testable import Publications

/// The beginning of a JPEG file and something after it.
let jpegBytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + (0..<2_000).map { UInt8($0 % 251) } + [0xFF, 0xD9]

/// A file whose first page paints one image.
func scan(
    content: String = "q 200 0 0 300 0 0 cm /Im0 Do Q",
    image: String = "/Filter /DCTDecode /ColorSpace /DeviceRGB",
    page: String = "", data: [UInt8] = jpegBytes
) -> [UInt8] {
    var builder = PDFBuilder()
    builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
    builder.object(2, "<< /Type /Pages /Count 2 /Kids [9 0 R 7 0 R] /MediaBox [0 0 200 300] >>")
    builder.object(9, "<< /Type /Pages /Count 0 /Kids [] >>")
    builder.object(7, "<< /Type /Pages /Count 1 /Kids [3 0 R] /Resources << /XObject << /Im0 6 0 R >> >> >>")
    builder.object(3, "<< /Type /Page /Parent 7 0 R /Contents [5 0 R] \(page) >>")
    builder.object(4, "<< /Title (Scan) >>")
    builder.stream(5, "", Array(content.utf8))
    builder.stream(6, "/Type /XObject /Subtype /Image /Width 100 /Height 150 \(image)", data)
    builder.table(PDFBuilder.trailer)
    return builder.bytes
}

@Suite("A scanned first page is the cover of a PDF file")
struct PDFCoverTests {
    @Test("One upright JPEG image that fills the page is the cover")
    func cover() throws {
        let info = try readPDF(scan())
        let cover = try #require(info.cover)
        #expect(cover.mediaType == .jpeg)
        #expect(cover.size == Int64(jpegBytes.count))
        #expect([UInt8](try cover.read()) == jpegBytes)
        #expect(info.shortcomings.isEmpty)
    }

    @Test("Invisible text, as recognition leaves it, does not matter")
    func recognisedText() throws {
        let content = "BT 3 Tr /F1 12 Tf (words) Tj ET q 200 0 0 300 0 0 cm /Im0 Do Q"
        #expect(try readPDF(scan(content: content)).cover != nil)
    }

    @Test("Matrices are multiplied, and restored graphics states do not count")
    func matrices() throws {
        let content = "q 9 0 0 9 0 0 cm Q q 2 0 0 3 0 0 cm 100 0 0 100 0 0 cm /Im0 Do Q"
        #expect(try readPDF(scan(content: content)).cover != nil)
    }

    @Test(
        "Anything else on the page means that there is no cover",
        arguments: [
            "q 100 0 0 100 0 0 cm /Im0 Do Q", "BT (text) Tj ET q 200 0 0 300 0 0 cm /Im0 Do Q",
            "q 200 0 0 -300 0 300 cm /Im0 Do Q", "q 0 200 -300 0 0 0 cm /Im0 Do Q",
            "q 200 0 0 300 0 0 cm /Im0 Do /Im1 Do Q", "", "BI /W 1 ID x EI", "q 200 0 0 300 0 0 cm /Im1 Do Q",
            "1 2 cm /Im0 Do", "(((", "q 1e999 0 0 300 0 0 cm /Im0 Do",
        ])
    func otherContent(content: String) throws {
        #expect(try readPDF(scan(content: content)).cover == nil)
    }

    @Test(
        "Images that other programs would show wrongly are not covers",
        arguments: [
            "/Filter /DCTDecode /ColorSpace /DeviceCMYK", "/Filter /FlateDecode /ColorSpace /DeviceRGB",
            "/Filter /DCTDecode /ColorSpace /DeviceRGB /Decode [1 0 1 0 1 0]", "/ColorSpace /DeviceRGB",
            "/Filter /JPXDecode",
        ])
    func otherImages(image: String) throws {
        #expect(try readPDF(scan(image: image)).cover == nil)
    }

    @Test("A turned page gives no cover")
    func rotation() throws {
        #expect(try readPDF(scan(page: "/Rotate 90")).cover == nil)
        #expect(try readPDF(scan(page: "/Rotate 360")).cover != nil)
    }

    @Test("An image compressed again, and one in an encrypted file, are read")
    func coded() throws {
        let twice = scan(
            image: "/Filter [/FlateDecode /DCTDecode] /ColorSpace /DeviceGray",
            data: PDFBuilder.deflated(jpegBytes))
        #expect([UInt8](try #require(try readPDF(twice).cover).read()) == jpegBytes)
        let locked = try qpdf(["--encrypt", "", "o", "256", "--"], scan())
        #expect([UInt8](try #require(try readPDF(locked).cover).read()) == jpegBytes)
    }

    @Test("Bytes that are not a JPEG image are refused when they are read")
    func noImage() throws {
        let cover = try #require(try readPDF(scan(data: Array(repeating: 7, count: 50))).cover)
        let error = #expect(throws: PublicationError.self) { try cover.read() }
        #expect(error?.code == .damaged)
    }

    @Test("A page tree that contains itself ends")
    func cycle() throws {
        var builder = PDFBuilder()
        builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
        builder.object(
            2, "<< /Type /Pages /Count 2 /Kids [2 0 R] /Resources << /XObject << /A 1 0 R >> >> >>")
        builder.table("/Root 1 0 R")
        #expect(try readPDF(builder.bytes).cover == nil)
    }
}
