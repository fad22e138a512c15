import Testing

@testable import Publications

@Suite("Every kind of cross-reference of a PDF file leads to its objects")
struct PDFCrossReferenceTests {
    private static let info = "/Title (Found) /Author (Somebody)"

    private func expectSound(
        _ bytes: [UInt8], _ title: String = "Found", location: SourceLocation = #_sourceLocation
    ) throws {
        let info = try readPDF(bytes)
        #expect(info.metadata.title == title, sourceLocation: location)
        #expect(info.metadata.pageCount == 1, sourceLocation: location)
        #expect(info.shortcomings.isEmpty, "\(info.shortcomings)", sourceLocation: location)
    }

    @Test("Tables with entries of 20, 19 and 21 bytes are read", arguments: [" \n", "\r\n", "\n", " \r\n"])
    func tables(lineEnd: String) throws {
        var builder = PDFBuilder.simple(info: Self.info)
        builder.table(PDFBuilder.trailer, lineEnd: lineEnd)
        try expectSound(builder.bytes)
    }

    @Test("Streams are read with and without prediction by rows", arguments: [false, true])
    func streams(predictor: Bool) throws {
        var builder = PDFBuilder.simple(info: Self.info)
        for number in 10..<40 { builder.object(number, "(filler)") }
        builder.entryStream(50, PDFBuilder.trailer, predictor: predictor)
        try expectSound(builder.bytes)
    }

    @Test("Objects in object streams are read, compressed or not", arguments: [false, true])
    func objectStreams(compressed: Bool) throws {
        var builder = PDFBuilder()
        builder.pack(
            7,
            [
                (1, "<< /Type /Catalog /Pages 2 0 R >>"), (2, "<< /Type /Pages /Count 1 /Kids [3 0 R] >>"),
                (3, "<< /Type /Page >>"), (4, "<< \(Self.info) >>"),
            ], compressed: compressed)
        builder.entryStream(8, PDFBuilder.trailer)
        try expectSound(builder.bytes)
    }

    @Test("In a hybrid file the stream defines objects that the table calls free")
    func hybrid() throws {
        var builder = PDFBuilder.simple()
        builder.pack(7, [(4, "<< \(Self.info) >>")])
        let start = builder.entryStream(8, "", ends: false)
        builder.free(4)
        builder.table(PDFBuilder.trailer, extra: " /XRefStm \(start)")
        try expectSound(builder.bytes)
    }

    @Test("The newest of several updates counts, in tables and streams alike")
    func updates() throws {
        var builder = PDFBuilder.simple(info: "/Title (Old)")
        builder.table(PDFBuilder.trailer)
        builder.object(4, "<< /Title (Newer) >>")
        builder.table(PDFBuilder.trailer)
        builder.object(4, "<< \(Self.info) >>")
        builder.entryStream(60, PDFBuilder.trailer)
        try expectSound(builder.bytes)
    }

    @Test("An object that an update deletes is gone")
    func deletion() throws {
        var builder = PDFBuilder.simple(info: "/Title 9 0 R")
        builder.object(9, "(Old)")
        builder.table(PDFBuilder.trailer)
        builder.free(9)
        builder.table(PDFBuilder.trailer)
        let info = try readPDF(builder.bytes, name: "n.pdf")
        #expect(info.metadata.title == "n")
    }

    @Test("Something before the header shifts all offsets")
    func junkBefore() throws {
        let info = try readPDF(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + PDFBuilder.finished(info: Self.info))
        #expect(info.metadata.title == "Found")
        #expect(info.metadata.pageCount == 1)
        #expect(info.shortcomings.map(\.code) == [.damagedPart])
    }

    @Test("Something after the end does no harm")
    func junkAfter() throws {
        try expectSound(PDFBuilder.finished(info: Self.info) + Array(repeating: 0, count: 3_000))
    }

    @Test("A table that counts from 1 instead of 0 is read")
    func countedFromOne() throws {
        let text = String(decoding: PDFBuilder.finished(info: Self.info), as: UTF8.self)
        let changed = text.replacing("xref\n0 5\n", with: "xref\n1 5\n", maxReplacements: 1)
        #expect(changed != text)
        try expectSound(Array(changed.utf8))
    }

    @Test(
        "Linearised files and those that qpdf rewrites say the same",
        arguments: [
            ["--linearize"], ["--object-streams=generate"], ["--object-streams=generate", "--linearize"],
            ["--qdf"], ["--object-streams=disable", "--compress-streams=n"],
        ])
    func rewritten(arguments: [String]) throws {
        try expectSound(try qpdf(arguments, PDFBuilder.finished(info: Self.info)))
    }

    @Test("Sections that lead to each other end, and are named")
    func cycle() throws {
        var builder = PDFBuilder.simple(info: Self.info)
        let start = builder.bytes.count
        builder.table(PDFBuilder.trailer, extra: " /Prev \(start)")
        let info = try readPDF(builder.bytes)
        #expect(info.metadata.title == "Found")
        #expect(
            info.shortcomings.map(\.message) == ["The cross-reference sections form a loop."])
    }

    @Test("A stream whose stated length is wrong is read to its end", arguments: [0, 3, 90_000, -4])
    func wrongLength(length: Int) throws {
        var builder = PDFBuilder.simple(info: Self.info, catalogue: "/Metadata 9 0 R")
        builder.stream(
            9, "/Type /Metadata", xmp("<dc:publisher><rdf:Bag><rdf:li>P</rdf:li></rdf:Bag></dc:publisher>"),
            length: length)
        builder.table(PDFBuilder.trailer)
        let info = try readPDF(builder.bytes)
        #expect(info.metadata.publisher == "P")
        #expect(info.shortcomings.map(\.message) == ["A stream does not have its stated length."])
    }

    @Test("The length of a stream may be a separate object")
    func indirectLength() throws {
        var builder = PDFBuilder.simple(info: Self.info, catalogue: "/Metadata 9 0 R")
        let packet = xmp("<dc:publisher>P</dc:publisher>")
        builder.object(10, "\(packet.count)")
        builder.stream(9, "/Type /Metadata", packet)
        let text = String(decoding: builder.bytes, as: UTF8.self)
        #expect(text.contains("/Length \(packet.count) >>"))
        // The same number of characters, so that offsets stay correct.
        let width = "\(packet.count)".count
        let changed = text.replacing(
            "/Length \(packet.count) >>",
            with: "/Length 10 0 R>>" + String(repeating: " ", count: max(0, width - 5)))
        var rebuilt = PDFBuilder(header: changed)
        rebuilt.text("")
        let info = try readPDF(rebuilt.bytes)
        #expect(info.metadata.publisher == "P")
    }
}
