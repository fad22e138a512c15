@testable import Archives
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Entries are read by the central directory")
struct ReadingTests {
    @Test(
        "Stored and deflated entries give their content, whole and in every range", arguments: [UInt16(0), 8])
    func ranges(_ method: UInt16) throws {
        let text = "The quick brown fox"
        let archive = try open(ZipBuilder(["before": "x", "a": text, "after": "y"], method: method))
        let entry = try #require(archive.entry("a"))
        let content = Data(text.utf8)
        let count = Int64(content.count)
        #expect(try archive.read(entry) == content)
        #expect(entry.length == count && (entry.compressedLength == nil) == (method == 0))
        for start in 0...(count + 1) {
            for end in start...(count + 2) {
                let wanted = Data(content[Int(min(start, count))..<Int(min(end, count))])
                #expect(try archive.read(entry, range: start..<end) == wanted)
            }
        }
        #expect(try archive.read(entry, range: -5..<3) == content.prefix(3))
        #expect(try archive.read(entry, range: 4..<Int64.max) == content.suffix(from: 4))
        #expect(try archive.read(entry, range: Int64.min..<Int64.max) == content)
        #expect(try archive.read(entry, range: 2..<5).startIndex == 0)
    }

    @Test("Empty entries are empty", arguments: [UInt16(0), 8])
    func empty(_ method: UInt16) throws {
        let archive = try open(ZipBuilder(["a": ""], method: method))
        let entry = try #require(archive.entry("a"))
        #expect(try archive.read(entry).isEmpty)
        #expect(try archive.read(entry, range: 0..<10).isEmpty)
    }

    @Test("Lengths, method and checksum of the local header, and its name, are not believed")
    func localHeaderLies() throws {
        var builder = ZipBuilder(["a": "content"])
        builder.entries[0].hasDescriptor = true
        builder.entries[0].localName = Array("something quite different".utf8)
        builder.entries[0].localExtra = Data(repeating: 0xFF, count: 300)
        let archive = try open(builder)
        #expect(try archive.read(try #require(archive.entry("a"))) == Data("content".utf8))
        #expect(archive.entry("something quite different") == nil)
    }

    @Test("A small entry is read by one call, header included")
    func oneCall() throws {
        let archive = try open(ZipBuilder(["a": "content", "b": "content"]))
        let before = archive.readCalls
        _ = try archive.read(try #require(archive.entry("b")))
        #expect(archive.readCalls == before + 1)
    }

    @Test("An entry of another archive is refused")
    func foreignEntry() throws {
        let one = try open(ZipBuilder(["a": "one"]))
        let other = try open(ZipBuilder(["a": "other"]))
        let entry = try #require(other.entry("a"))
        #expect(code { try one.read(entry) } == .notFound)
        #expect(code { try one.read(entry, range: 0..<1) } == .notFound)
    }

    @Test("After closing every read fails, with entries kept, and nothing is read")
    func closed() throws {
        let archive = try open(ZipBuilder(["a": "one"]))
        let entry = try #require(archive.entry("a"))
        let reader = archive.reader(entry)
        #expect(try reader.read() == Data("one".utf8))
        archive.close()
        archive.close()
        #expect(archive.entries.count == 1 && archive.entry("a") != nil)
        #expect(code { try archive.read(entry) } == .closed)
        #expect(code { try archive.read(entry, range: 0..<0) } == .closed)
        #expect(code { try reader.read() } == .closed)
        #expect(code { try reader.read(range: 0..<1) } == .closed)
    }

    @Test("A failing source is reported with its own error")
    func failingSource() throws {
        let source = CountingSource(ZipBuilder(["a": "one"]).data())
        let archive = try ZipArchive.open(source: source)
        source.fail(ByteSourceError(.unavailable, "the cable was pulled"))
        let error = #expect(throws: ArchiveError.self) { try archive.read(try #require(archive.entry("a"))) }
        #expect(error?.code == .unreadable)
        #expect((error?.underlying as? ByteSourceError)?.code == .unavailable)
    }

    @Test("A failure leaves nothing behind: the next read succeeds")
    func recovers() throws {
        let content = noise(3 << 20)
        var builder = ZipBuilder()
        builder.entries = [ZipBuilder.Entry("a", content, method: 8)]
        let source = FlakySource(builder.data())
        let archive = try ZipArchive.open(source: source)
        let reader = archive.reader(try #require(archive.entry("a")))
        var position: Int64 = 0
        var failures = 0
        while position < Int64(content.count) {
            do {
                let chunk = try reader.read(range: position..<(position + 100_000))
                #expect(chunk == content[Int(position)..<Int(position) + chunk.count])
                position += Int64(chunk.count)
            } catch {
                failures += 1
            }
        }
        #expect(failures > 0)
    }

    @Test("Many threads read one entry and many entries at once")
    func threads() async throws {
        let contents = (0..<8).map { noise(2 << 20, seed: UInt64($0)) }
        var builder = ZipBuilder()
        builder.entries = contents.enumerated().map {
            ZipBuilder.Entry("\($0.offset)", $0.element, method: 8)
        }
        let archive = try open(builder)
        let reader = archive.reader(try #require(archive.entry("0")))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<16 {
                group.addTask {
                    var randomness = SeededGenerator(seed: UInt64(task))
                    for _ in 0..<20 {
                        let number = Int.random(in: 0..<8, using: &randomness)
                        let start = Int64.random(in: 0..<(2 << 20), using: &randomness)
                        let range = start..<min(start + 9_000, 2 << 20)
                        let wanted = { (data: Data) in
                            Data(data[Int(range.lowerBound)..<Int(range.upperBound)])
                        }
                        guard let entry = archive.entry("\(number)"),
                            try archive.read(entry, range: range) == wanted(contents[number]),
                            try reader.read(range: range) == wanted(contents[0])
                        else { return false }
                    }
                    return true
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}

/// A source of which every twentieth read fails.
private final class FlakySource: ByteSource {
    private let source: DataByteSource
    private let count = Atomic<Int>(0)

    init(_ data: Data) { source = DataByteSource(data) }

    var length: Int64 { source.length }

    func read(at offset: Int64, count wanted: Int) throws(ByteSourceError) -> Data {
        if count.wrappingAdd(1, ordering: .relaxed).newValue % 20 == 0 {
            throw ByteSourceError(.unavailable, "no answer")
        }
        return try source.read(at: offset, count: wanted)
    }

    func close() { source.close() }
}
