import FoundationEssentials
import TestSupport
import Testing

@testable import Publications

@Suite("Damaged and hostile PDF files never stop the program, and give what they have")
struct DamagedPDFTests {
    /// Files of each structure, small enough to damage in many places.
    static func samples() throws -> [[UInt8]] {
        let info = "/Title (Sample) /Author (A; B) /CreationDate (D:20200101) /Keywords \(utf16Hex("日本"))"
        let plain = pdf(packet: xmp("<dc:publisher>P</dc:publisher>"), info: info)
        return [
            plain, try qpdf(["--object-streams=generate"], plain), try qpdf(["--linearize"], plain),
            try qpdf(["--encrypt", "", "o", "256", "--"], plain),
            try qpdf(
                [
                    "--allow-weak-crypto", "--object-streams=generate", "--encrypt", "", "o", "128",
                    "--use-aes=n", "--",
                ], plain),
            scan(),
        ]
    }

    private func tryReading(_ bytes: [UInt8]) -> PublicationInfo? {
        do {
            let info = try readPDF(bytes)
            _ = try info.cover?.read()
            return info
        } catch {
            return nil
        }
    }

    @Test("A PDF file that is cut off at any length does not crash the reader")
    func truncated() throws {
        for (place, sample) in try Self.samples().enumerated() {
            // Every length of the plain file and of the scanned one, some of the others.
            let lengths = Array(stride(from: 0, to: sample.count, by: place == 0 || place == 5 ? 1 : 11))
            let read = lengths.filter { tryReading(Array(sample[..<$0])) != nil }
            // Once the first objects are present, something is found.
            #expect(read.count > lengths.count / 3)
        }
    }

    @Test("A PDF file with any byte changed does not crash the reader")
    func flipped() throws {
        var dice = SeededGenerator(seed: 42)
        for sample in try Self.samples() {
            var titles = 0
            for _ in 0..<150 {
                var bytes = sample
                for _ in 0..<Int.random(in: 1...4, using: &dice) {
                    bytes[Int.random(in: bytes.indices, using: &dice)] = UInt8.random(
                        in: 0...255, using: &dice)
                }
                if tryReading(bytes)?.metadata.title != nil { titles += 1 }
            }
            #expect(titles > 50)
        }
    }

    @Test("A PDF file with numbers replaced by others of every size does not crash the reader")
    func otherNumbers() throws {
        var dice = SeededGenerator(seed: 7)
        let numbers = [
            "0", "-1", "99999999999999999999", "9223372036854775807", "4294967296", "1e9", "2147483648",
            "1 0 R",
        ]
        for sample in try Self.samples() {
            let runs = digitRuns(sample)
            for _ in 0..<100 {
                let run = runs[Int.random(in: runs.indices, using: &dice)]
                let number = numbers[Int.random(in: numbers.indices, using: &dice)]
                _ = tryReading(
                    Array(sample[..<run.lowerBound]) + Array(number.utf8) + Array(sample[run.upperBound...]))
            }
            #expect(!runs.isEmpty)
        }
    }

    private func digitRuns(_ bytes: [UInt8]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for index in bytes.indices {
            if PDFSyntax.decimal(bytes[index]) != nil {
                start = start ?? index
            } else if let first = start {
                runs.append(first..<index)
                start = nil
            }
        }
        return runs
    }

    @Test("A cross-reference that points elsewhere is replaced by a search")
    func wrongOffsets() throws {
        var builder = PDFBuilder.simple(info: "/Title (Found)")
        builder.table(PDFBuilder.trailer, offsetBy: 3)
        let info = try readPDF(builder.bytes)
        #expect(info.metadata.title == "Found")
        #expect(info.metadata.pageCount == 1)
        #expect(info.shortcomings.contains { $0.message.contains("was searched") })
    }

    @Test("A single wrong entry is noticed, since the object names itself")
    func wrongEntry() throws {
        let text = String(decoding: PDFBuilder.finished(info: "/Title (Found)"), as: UTF8.self)
        let lines = text.components(separatedBy: "\n").filter { $0.hasSuffix(" n ") }
        #expect(lines.count == 4)
        let changed = text.replacing(lines[3], with: lines[2])
        #expect(try readPDF(Array(changed.utf8)).metadata.title == "Found")
    }

    @Test(
        "Bytes that are not a PDF file are refused",
        arguments: ["", "x", "%PDF-1.4", "PK\u{3}\u{4}something", "<html></html>"])
    func nothing(text: String) throws {
        let error = #expect(throws: PublicationError.self) { try readPDF(Array(text.utf8)) }
        #expect(error?.code == .damaged)
    }

    @Test("A stream that decodes to gigabytes stops at the limit")
    func bombs() throws {
        let zeros = PDFBuilder.deflated([UInt8](repeating: 0x20, count: 40 << 20))
        let twice = PDFBuilder.deflated(zeros)
        #expect(twice.count < 2_000)
        let info = try readPDF(
            pdf(packet: twice, info: "/Title (T)", dictionary: "/Filter [/FlateDecode /FlateDecode]"))
        #expect(info.metadata.title == "T")
        let result = try PDFFilter(name: "FlateDecode").decode(zeros, limit: 1 << 20)
        #expect(result.bytes.count == 1 << 20)
        #expect(result.isTooLarge)
    }

    @Test("An object stream or a cross-reference that decodes to gigabytes is refused")
    func structuralBombs() throws {
        let zeros = PDFBuilder.deflated([UInt8](repeating: 0x30, count: 18 << 20))
        var builder = PDFBuilder.simple(info: "/Title 50 0 R /Author (A)")
        builder.stream(60, "/Type /ObjStm /N 1000000000 /First 9 /Filter /FlateDecode", zeros)
        builder.entryStream(61, PDFBuilder.trailer)
        #expect(try readPDF(builder.bytes).metadata.authors.map(\.name) == ["A"])
        var second = PDFBuilder.simple(info: "/Title (T)")
        let start = second.bytes.count
        second.stream(60, "/Type /XRef /W [1 4 2] /Size 9 /Filter /FlateDecode \(PDFBuilder.trailer)", zeros)
        second.text("startxref\n\(start)\n%%EOF\n")
        #expect(try readPDF(second.bytes).metadata.title == "T")
    }

    @Test("Deep nesting is a limit of the object, not of the stack", arguments: ["[", "<</A"])
    func nesting(opening: String) throws {
        let info = try readPDF(
            PDFBuilder.finished(info: "/Title (T) /Deep \(String(repeating: opening, count: 100_000))"))
        #expect(info.metadata.pageCount == 1)
        #expect(info.shortcomings.contains { $0.code == .tooLarge || $0.code == .damagedPart })
    }

    @Test("Circular references are reported, and reading ends")
    func cycles() throws {
        var builder = PDFBuilder.simple(
            info: "/Title 8 0 R /Author 9 0 R /Subject (S)", catalogue: "/Metadata 11 0 R")
        builder.object(8, "8 0 R")
        builder.object(9, "10 0 R")
        builder.object(10, "9 0 R")
        builder.object(11, "<< /Length 11 0 R >>\nstream\nendstream")
        builder.table(PDFBuilder.trailer)
        let info = try readPDF(builder.bytes)
        #expect(info.metadata.pageCount == 1)
        #expect(info.shortcomings.contains { $0.subject == "Info" })
    }

    @Test("An object stream that contains itself ends")
    func selfContained() throws {
        var builder = PDFBuilder.simple(info: "/Title 50 0 R")
        builder.pack(7, [(7, "<< >>"), (50, "(T)")])
        let bytes = builder.bytes
        var second = PDFBuilder(header: String(decoding: bytes.prefix(0), as: UTF8.self))
        second.text("%PDF-1.5\n")
        second.object(1, "<< /Pages 7 0 R >>")
        second.pack(7, [(7, "<< >>")])
        second.entryStream(8, "/Root 1 0 R /Info 7 0 R")
        #expect(tryReading(second.bytes)?.metadata.title == nil)
    }
}
