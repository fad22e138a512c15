import Testing

@testable import BookModel

@Suite("Packed bytes and long lists of runs keep their values")
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

    @Test("A list that is longer than its small blocks keeps every run, and so does a copy")
    func longList() {
        var runs = ByteRuns()
        let run = { (number: Int) in [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100_000) }
        for number in 0..<300 { runs.append(run(number)) }
        let copy = runs
        for number in 300..<320 { runs.append(run(number)) }
        #expect(copy.count == 300)
        for number in 0..<320 {
            #expect(runs.withBytes(at: number) { $0.elementsEqual(run(number)) }, "\(number)")
        }
        #expect(copy.withBytes(at: 299) { $0.elementsEqual(run(299)) })
    }

    @Test("Small runs between large ones share their blocks")
    func alternating() {
        var runs = ByteRuns()
        let large = [UInt8](repeating: 1, count: 300_000)
        for number in 0..<40 {
            runs.append(large)
            runs.append([UInt8(number)])
        }
        #expect(runs.blockCount == 41 && runs.count == 80)
        #expect((0..<40).map { runs.withBytes(at: $0 * 2 + 1) { $0.first } } == (0..<40).map { UInt8($0) })
    }
}
