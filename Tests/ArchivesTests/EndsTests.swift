import Archives
import FoundationEssentials
import Synchronization
import Testing

/// A remote source that delivers its ends together with its length.
private final class FarBytes: ByteSource {
    private let bytes: Data
    private let flights = Mutex<[String]>([])
    /// The number of bytes of an end that are missing.
    private let missing: Int

    init(_ bytes: Data, missing: Int = 0) {
        self.bytes = bytes
        self.missing = missing
    }

    var journeys: [String] { flights.withLock { $0 } }
    var length: Int64 {
        flights.withLock { $0.append("length") }
        return Int64(bytes.count)
    }

    func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        let start = min(max(0, Int(offset)), bytes.count)
        let end = min(bytes.count, start + max(0, count))
        if end > start { flights.withLock { $0.append("\(start)..<\(end)") } }
        return Data(bytes[start..<end])
    }

    func ends(head: Int, tail: Int) throws(ByteSourceError) -> SourceEnds? {
        flights.withLock { $0.append("ends") }
        return SourceEnds(
            length: Int64(bytes.count), head: Data(bytes.prefix(head).dropLast(missing)),
            tail: Data(bytes.dropFirst(head).suffix(tail).dropLast(missing)))
    }

    func close() {}
}

@Suite("Reading ahead takes both ends of a source at once where the source gives them")
struct EndsTests {
    private func bytes(_ size: Int) -> Data {
        Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }

    @Test(
        "The beginning, end and length take one round trip, and other ranges one more each",
        arguments: [200_000, 1_000_000])
    func oneJourney(_ size: Int) throws {
        let (bytes, settings) = (bytes(size), ReadAhead())
        let source = FarBytes(bytes)
        let ahead = ReadAheadByteSource(source)
        #expect(try ahead.length == Int64(size))
        #expect(try ahead.read(at: 0, count: 500) == bytes.prefix(500))
        #expect(try ahead.read(at: Int64(size - 64_000), count: 64_000) == bytes.suffix(64_000))
        #expect(source.journeys == ["ends"])
        #expect(try ahead.read(at: 50_000, count: 100) == Data(bytes[50_000..<50_100]))
        #expect(source.journeys.count == 2 && settings.block < 50_000)
    }

    @Test("A short source is whole with its ends", arguments: [0, 1, 32_768, 32_769, 65_000, 98_000])
    func short(_ size: Int) throws {
        let bytes = bytes(size)
        let source = FarBytes(bytes)
        let ahead = ReadAheadByteSource(source)
        for start in stride(from: 0, to: size, by: 4_999) {
            #expect(
                try ahead.read(at: Int64(start), count: 9_000) == Data(bytes.dropFirst(start).prefix(9_000)))
        }
        #expect(try ahead.read(at: 0, count: size + 1) == bytes)
        #expect(source.journeys.allSatisfy { $0 == "ends" })
    }

    @Test("Ends shorter than requested do not count as complete")
    func incomplete() throws {
        let bytes = bytes(300_000)
        let ahead = ReadAheadByteSource(FarBytes(bytes, missing: 7))
        #expect(try ahead.read(at: 0, count: 40_000) == bytes.prefix(40_000))
        #expect(try ahead.read(at: 299_000, count: 1_000) == bytes.suffix(1_000))
    }
}
