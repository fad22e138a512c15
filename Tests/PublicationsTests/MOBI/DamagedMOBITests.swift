import Publications
import Testing

@Suite("Damaged and hostile MOBI files never stop the program, and give what they have")
struct DamagedMOBITests {
    private var sample: [UInt8] {
        var newer = MOBIBuilder()
        newer.add(503, "New")
        var book = MOBIBuilder()
        book.fullName = Array("Full".utf8)
        book.add(100, "Author")
        book.add(105, "one; two")
        book.add(201, number: 0)
        book.add(121, number: 4)
        book.images = [Array(jpegBytes.prefix(100))]
        book.textRecords = 1
        book.second = newer.header
        return book.bytes
    }

    private func tryReading(_ bytes: [UInt8]) -> PublicationInfo? {
        do {
            let info = try readMOBI(bytes)
            _ = try info.cover?.read()
            return info
        } catch {
            return nil
        }
    }

    @Test("A file that is cut off at any length does not crash the reader")
    func truncated() throws {
        let sample = sample
        var titles = 0
        for length in 0..<sample.count {
            let info = tryReading(Array(sample[..<length]))
            // A header has at least 78 bytes.
            #expect((info == nil) == (length < 78), "\(length)")
            if info?.metadata.authors.map(\.name) == ["Author"] { titles += 1 }
        }
        #expect(titles > sample.count / 2)
        #expect(tryReading(Array(sample.prefix(90)))?.shortcomings.isEmpty == false)
    }

    @Test("A file with any byte of the headers changed to any extreme does not crash the reader")
    func changed() throws {
        let sample = sample
        var read = 0
        for index in 60..<600 {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var bytes = sample
                bytes[index] = value
                if tryReading(bytes) != nil { read += 1 }
            }
        }
        #expect(read > 2_000)
    }

    @Test(
        "Wrong sizes are damage, and the readable part before them is used",
        arguments: [0, 7, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func lyingSizes(size: Int) throws {
        var book = MOBIBuilder()
        book.add(503, "T")
        book.add(100, "MARK")
        var bytes = book.bytes
        let mark = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("MARK".utf8)) })
        bytes.replaceSubrange(mark - 4..<mark, with: MOBIBuilder.number(size, 4))
        let info = try readMOBI(bytes)
        #expect(info.metadata.title == "T")
        #expect(info.metadata.authors.isEmpty)
        #expect(info.shortcomings.map(\.code) == [.damagedPart])
    }

    @Test("A header that promises metadata records without having them is damaged")
    func missingExtra() throws {
        var book = MOBIBuilder()
        book.fullName = Array("Name".utf8)
        book.add(503, "T")
        var bytes = book.bytes
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("EXTH".utf8)) })
        bytes[place] = 0
        let info = try readMOBI(bytes)
        #expect(info.metadata.title == "Name")
        #expect(info.shortcomings.map(\.code) == [.damagedPart])
    }

    @Test("Other Palm databases and other files are refused", arguments: ["TPZ0", "", "DATAplkr"])
    func others(kind: String) throws {
        var book = MOBIBuilder()
        book.kind = kind + String(repeating: " ", count: 8 - kind.utf8.count)
        let error = #expect(throws: PublicationError.self) { try readMOBI(book.bytes) }
        #expect(error?.code == .damaged)
        #expect(throws: PublicationError.self) { try readMOBI([]) }
    }
}
