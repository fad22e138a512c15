import Testing

@testable import BookModel

@Suite("Packed bytes, and long lists of runs of them")
struct PackedBytesTests {
    @Test("Values come back as they were written")
    func roundTrip() {
        var writer = PackedWriter()
        let counts = [0, 1, 127, 128, 16_383, 16_384, 1 << 40]
        for count in counts { writer.append(count: count) }
        writer.append(nil)
        writer.append("")
        writer.append("Ä\u{0}😀")
        writer.append(["", "x"])
        writer.append(optional: nil)
        writer.append(optional: .max)
        writer.append(7)
        writer.bytes.withUnsafeBytes { bytes in
            var reader = PackedReader(bytes)
            #expect(counts.map { _ in reader.count() } == counts)
            #expect(reader.text() == nil)
            #expect(reader.text() == "")
            #expect(reader.text() == "Ä\u{0}😀")
            #expect(reader.texts() == ["", "x"])
            #expect(reader.optionalWord() == nil)
            #expect(reader.optionalWord() == .max)
            #expect(reader.byte() == 7)
            #expect(reader.left == 0)
            #expect(!reader.isDamaged)
        }
    }

    @Test("Runs stand behind their counts of any size, and the first word can be set at the end")
    func counted() {
        let runs = [0, 1, 127, 128, 16_384].map { [UInt8](repeating: 7, count: $0) }
        var writer = PackedWriter()
        writer.append(word: 0)
        for run in runs { run.withUnsafeBytes { writer.append(counted: $0) } }
        writer.set(firstWord: 1 << 40)
        writer.bytes.withUnsafeBytes { bytes in
            var reader = PackedReader(bytes)
            #expect(reader.word() == 1 << 40)
            for run in runs { #expect(reader.raw(reader.count()).elementsEqual(run)) }
            #expect(reader.left == 0)
        }
    }

    @Test(
        "What is missing is noticed, and nothing beyond the end is read",
        arguments: [[], [0x80], [0x05, 0x41], [UInt8](repeating: 0xFF, count: 20)])
    func damage(bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var reader = PackedReader(bytes)
            _ = reader.texts()
            _ = reader.text()
            _ = reader.word()
            #expect(reader.isDamaged)
            #expect(reader.left == 0)
        }
    }

    @Test("Runs of all sizes come back in their order, and a copy of a list stays as it was")
    func runs() {
        var runs = ByteRuns()
        let all = [0, 1, 500_000, 3, 300_000, 200_000, 2_000_000, 5].enumerated().map { number, count in
            [UInt8](repeating: UInt8(number + 1), count: count)
        }
        for run in all { runs.append(run) }
        let copy = runs
        runs.append([9, 8, 7, 6], at: [1..<3, 0..<0])
        runs.append([1])
        #expect(copy.count == all.count)
        #expect(runs.count == all.count + 3)
        for (position, run) in (all + [[8, 7], [], [1]]).enumerated() {
            let isSame = runs.withBytes(at: position) { $0.elementsEqual(run) }
            #expect(isSame, "\(position)")
        }
    }
}
