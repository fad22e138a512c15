@testable import Archives
import Foundation
import TestSupport
import Testing

@Suite("Ranges of deflated entries are read with bounded work")
struct RandomAccessTests {
    private func reader(_ content: Data) throws -> ZipEntryReader {
        var builder = ZipBuilder()
        builder.entries = [ZipBuilder.Entry("a", content, method: 8)]
        let archive = try open(builder)
        let entry = try #require(archive.entry("a"))
        return try #require(archive.reader(entry) as? ZipEntryReader)
    }

    @Test("16 KiB after 16 KiB of a deflated entry of 100 MiB inflate each byte once")
    func sequentialChunks() throws {
        let size = 100 << 20
        let content = numbers(size)
        let reader = try reader(content)
        var position = 0
        while position < size {
            let chunk = try reader.read(range: Int64(position)..<Int64(position + 16 << 10))
            guard chunk == content[position..<(position + 16 << 10)] else {
                Issue.record("the chunk at \(position) is wrong")
                return
            }
            position += 16 << 10
        }
        #expect(reader.bytesInflated == Int64(size))
    }

    @Test("A range after the last one continues from there and skips the bytes between")
    func forward() throws {
        let content = noise(4 << 20)
        let reader = try reader(content)
        #expect(try reader.read(range: 100..<200) == content[100..<200])
        #expect(reader.bytesInflated == 200)
        #expect(try reader.read(range: 1_000..<1_100) == content[1_000..<1_100])
        #expect(reader.bytesInflated == 1_100)
    }

    @Test("Going back costs at most the distance of two checkpoints")
    func backward() throws {
        let content = noise(8 << 20)
        let reader = try reader(content)
        _ = try reader.read(range: (8 << 20 - 1)..<(8 << 20))
        for start: Int64 in [7_000_000, 5_000_000, 3_333_333, 2 << 20, 1] {
            let before = reader.bytesInflated
            #expect(try reader.read(range: start..<(start + 50)) == content[Int(start)..<Int(start) + 50])
            #expect(reader.bytesInflated - before <= 1 << 20 + 50)
        }
    }

    @Test("Jumping far ahead of a checkpoint that is known starts there")
    func jump() throws {
        let content = noise(8 << 20)
        let reader = try reader(content)
        _ = try reader.read(range: (8 << 20 - 1)..<(8 << 20))
        _ = try reader.read(range: 0..<10)
        let before = reader.bytesInflated
        #expect(try reader.read(range: 6_500_000..<6_500_010) == content[6_500_000..<6_500_010])
        #expect(reader.bytesInflated - before <= 1 << 20 + 10)
    }

    @Test("Random ranges equal slices", arguments: 0..<4)
    func randomRanges(_ seed: Int) throws {
        var randomness = SeededGenerator(seed: UInt64(seed))
        let size: Int64 = 5_000_003
        let content = seed % 2 == 0 ? noise(Int(size)) : numbers(Int(size))
        let reader = try reader(content)
        for _ in 0..<60 {
            let start = Int64.random(in: 0...size, using: &randomness)
            let end = min(size, start + Int64.random(in: 0...300_000, using: &randomness))
            #expect(try reader.read(range: start..<end) == content[Int(start)..<Int(end)])
        }
    }

    @Test("A small entry is inflated once, however its ranges jump")
    func smallEntry() throws {
        let content = noise(1 << 20)
        let reader = try reader(content)
        for start: Int64 in [900_000, 5, 500_000, 0] {
            #expect(try reader.read(range: start..<(start + 100)) == content[Int(start)..<Int(start) + 100])
        }
        #expect(try reader.read() == content)
        #expect(reader.bytesInflated == 1 << 20)
    }

    @Test("A whole read of a large entry takes no checkpoints and leaves the place of ranges alone")
    func wholeRead() throws {
        let content = noise(3 << 20)
        let reader = try reader(content)
        _ = try reader.read(range: 0..<1_000)
        #expect(try reader.read() == content)
        let before = reader.bytesInflated
        #expect(try reader.read(range: 1_000..<2_000) == content[1_000..<2_000])
        #expect(reader.bytesInflated - before == 1_000)
    }

    @Test("Ranges of the archive itself continue too, for several entries in turn")
    func archiveRanges() throws {
        let content = noise(3 << 20)
        var builder = ZipBuilder()
        builder.entries = ["a", "b", "c"].map { ZipBuilder.Entry($0, content, method: 8) }
        let source = CountingSource(builder.data())
        let archive = try ZipArchive.open(source: source)
        let entries = Array(archive.entries)
        for start in stride(from: 0, to: 3 << 20, by: 64 << 10) {
            for entry in entries {
                let range = Int64(start)..<Int64(start + 64 << 10)
                #expect(try archive.read(entry, range: range) == content[start..<(start + 64 << 10)])
            }
        }
        // Every compressed byte was fetched once, apart from headers and the directory.
        #expect(source.bytesRead < Int64(builder.data().count) + 20_000)
    }

    @Test("A read of a stored entry reads only its own bytes")
    func stored() throws {
        var builder = ZipBuilder()
        let content = noise(1 << 20)
        builder.entries = [ZipBuilder.Entry("a", content)]
        let source = CountingSource(builder.data())
        let archive = try ZipArchive.open(source: source)
        source.reset()
        let reader = archive.reader(try #require(archive.entry("a")))
        #expect(try reader.read(range: 500_000..<500_010) == content[500_000..<500_010])
        #expect(try reader.read(range: 100..<110) == content[100..<110])
        #expect(source.reads.map { $0.upperBound - $0.lowerBound } == [30, 10, 10])
    }

    @Test("Results are the same after cached data are dropped")
    func reset() throws {
        let content = noise(3 << 20)
        let reader = try reader(content)
        let first = try reader.read(range: 2_000_000..<2_000_100)
        reader.reset()
        #expect(try reader.read(range: 2_000_000..<2_000_100) == first)
    }
}
