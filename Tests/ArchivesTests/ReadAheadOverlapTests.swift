import Archives
import FoundationEssentials
import Synchronization
import Testing

/// Counts the bytes that are read from memory.
private final class CountedBytes: ByteSource {
    private let bytes: Data
    private let count = Atomic<Int>(0)

    init(_ bytes: Data) { self.bytes = bytes }

    var bytesRead: Int { count.load(ordering: .relaxed) }
    var length: Int64 { Int64(bytes.count) }

    func read(at offset: Int64, count wanted: Int) throws(ByteSourceError) -> Data {
        let start = min(max(0, Int(offset)), bytes.count)
        let end = min(bytes.count, start + max(0, wanted))
        count.add(end - start, ordering: .relaxed)
        return Data(bytes[start..<end])
    }

    func close() {}
}

@Suite("Reading ahead never reads a byte twice while it is kept")
struct ReadAheadOverlapTests {
    @Test("Blocks end where the tail that is kept begins", arguments: [70_000, 100_000, 131_072, 65_634])
    func overlap(_ size: Int) throws {
        let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let source = CountedBytes(bytes)
        let ahead = ReadAheadByteSource(source)
        #expect(try ahead.read(at: Int64(size - 22), count: 22) == bytes.suffix(22))
        for start in stride(from: 0, to: size, by: 997) {
            let read = try ahead.read(at: Int64(start), count: 1500)
            #expect(read == bytes.dropFirst(start).prefix(1500))
        }
        #expect(source.bytesRead == size)
    }

    @Test(
        "A tail that is read after blocks takes from them what they have",
        arguments: [70_000, 98_304, 60_000])
    func tailAfterBlocks(_ size: Int) throws {
        let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let source = CountedBytes(bytes)
        var settings = ReadAhead()
        settings.tail = 50_000
        let ahead = ReadAheadByteSource(source, settings)
        #expect(try ahead.read(at: 0, count: 100) == bytes.prefix(100))
        #expect(try ahead.read(at: Int64(size - 40_000), count: 40_000) == bytes.suffix(40_000))
        #expect(source.bytesRead <= size)
    }

    @Test("Bytes in memory count as near, and a remote source as far")
    func near() {
        #expect(DataByteSource(Data()).isNear)
        #expect(!ReadAheadByteSource(DataByteSource(Data())).isNear)
        #expect(!CountedBytes(Data()).isNear)
    }
}
