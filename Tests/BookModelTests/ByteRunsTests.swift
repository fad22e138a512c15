import Testing

@testable import BookModel

@Suite("A long list of byte arrays keeps each of them")
struct ByteRunsTests {
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

    @Test(
        "An array that is written in place is kept like one that is appended, and one of 0 bytes is not added"
    )
    func inPlace() throws {
        var runs = ByteRuns()
        let all = [5, 4096, 1, 0, 200_000, 100_000, 4000].enumerated().map { number, count in
            [UInt8](repeating: UInt8(number + 1), count: count)
        }
        for run in all {
            runs.append(room: 1 << 18) { memory in
                #expect(memory.count >= 1 << 18)
                memory.copyBytes(from: run)
                return run.count
            }
        }
        #expect(runs.count == all.count - 1)
        struct Refused: Error {}
        #expect(throws: Refused.self) { try runs.append(room: 10) { _ in throw Refused() } }
        runs.append([9])
        let kept = (0..<runs.count).map { runs.withBytes(at: $0) { [UInt8]($0) } }
        #expect(kept == all.filter { !$0.isEmpty } + [[9]])
        runs.removeLast()
        runs.append([8])
        #expect(runs.count == all.count && runs.withBytes(at: all.count - 1) { $0.elementsEqual([8]) })
    }
}
