import Formats
import Foundation
import TestSupport
import Testing

@testable import Publications

@Suite("A PDF file far away is read in few requests")
struct PDFRequestTests {
    /// A file of several megabytes with everything that is wanted in it.
    private func large(_ finish: (inout PDFBuilder) -> Void) -> [UInt8] {
        var builder = PDFBuilder.simple(
            info: "/Title (Far)",
            catalogue:
                "/Metadata 9 0 R /Lang (en) /Fillers [\((100..<140).map { "\($0) 0 R" }.joined(separator: " "))]"
        )
        builder.stream(9, "/Type /Metadata", xmp("<dc:publisher>P</dc:publisher>"))
        for number in 0..<40 {
            builder.stream(
                100 + number, "", (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) })
        }
        finish(&builder)
        return builder.bytes
    }

    @Test("At most 3 % of four megabytes are read, in at most two requests")
    func table() throws {
        let source = FarSource(large { $0.table(PDFBuilder.trailer) })
        let info = try readFarPDF(source)
        #expect(info.metadata.title == "Far")
        #expect(info.metadata.publisher == "P")
        #expect(info.metadata.languages == ["en"])
        #expect(info.metadata.pageCount == 1)
        #expect(info.shortcomings.isEmpty)
        #expect(source.requests.count <= 2, "\(source.requests)")
        #expect(source.bytesRead < Int(source.length) * 3 / 100)
    }

    @Test(
        "Files with object streams and linearised files take as few requests",
        arguments: [
            ["--object-streams=generate"], ["--linearize"], ["--linearize", "--object-streams=generate"],
        ])
    func others(arguments: [String]) throws {
        let source = FarSource(
            try qpdf(arguments + ["--compress-streams=n"], large { $0.table(PDFBuilder.trailer) }))
        let info = try readFarPDF(source)
        #expect(info.metadata.title == "Far")
        #expect(info.metadata.publisher == "P")
        #expect(info.shortcomings.isEmpty)
        #expect(source.length > 3_000_000)
        #expect(source.requests.count <= 4, "\(source.requests)")
        #expect(source.bytesRead < Int(source.length) * 4 / 100)
    }

    @Test("Real books need at most five requests and 170 KiB")
    func realBooks() throws {
        for book in try RealPDF.all() {
            let source = FarSource([UInt8](try Data(contentsOf: book.url)))
            let info = try readFarPDF(source)
            #expect(info.metadata.title == book.title)
            #expect(info.metadata.pageCount == book.pages)
            #expect(source.requests.count <= 5, "\(book.url.lastPathComponent): \(source.requests)")
            #expect(source.bytesRead <= 170 << 10, "\(book.url.lastPathComponent): \(source.requests)")
        }
    }

    @Test("A small file is one request")
    func small() throws {
        let source = FarSource(PDFBuilder.finished(info: "/Title (Small)"))
        #expect(try readFarPDF(source).metadata.title == "Small")
        #expect(source.requests.count == 1)
    }

    @Test("A damaged large file is not read whole")
    func damaged() throws {
        let source = FarSource(large { $0.table(PDFBuilder.trailer, offsetBy: 7) })
        let info = try readFarPDF(source)
        #expect(info.metadata.title == "Far")
        #expect(info.shortcomings.contains { $0.message.contains("only the beginning and the end") })
        #expect(source.bytesRead <= 200 << 10)
    }

    @Test("The cover is read only when it is asked for, in one request")
    func cover() throws {
        let image = jpegBytes + [UInt8](repeating: 1, count: 1 << 20)
        let source = FarSource(scan(data: image))
        let info = try readFarPDF(source)
        #expect(source.bytesRead < 200 << 10)
        let before = source.requests.count
        #expect([UInt8](try #require(info.cover).read()) == image)
        #expect(source.requests.count == before + 1)
    }

    @Test("A source that fails is an error at first, a shortcoming later")
    func failure() throws {
        let bytes = large { $0.table(PDFBuilder.trailer) }
        let error = #expect(throws: PublicationError.self) { try readFarPDF(FarSource(bytes, failsFrom: 1)) }
        #expect(error?.code == .unreadable)
        let info = try readFarPDF(FarSource(bytes, failsFrom: 2))
        #expect(info.metadata.title == nil)
        #expect(info.shortcomings.contains { $0.code == .unreadablePart })
    }
}
