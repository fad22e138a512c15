import Testing

@testable import Conformance

@Suite("Growing memory is a leak only if it does not stop growing")
struct MemoryGrowthTests {
    /// The verdict with which a trial ends, and the number of its rounds.
    private struct Outcome: Equatable {
        var verdict: MemoryGrowth.Verdict
        var rounds: Int
    }

    /// The outcome of a trial with blocks of eight rounds. `memory` is in MiB, by round.
    private func outcome(_ memory: (Int) -> Int) -> Outcome {
        var growth = MemoryGrowth(from: 100 << 20, block: 8)
        for round in 1...1000 {
            let verdict = growth.add(memory(round) << 20)
            if verdict != .open { return Outcome(verdict: verdict, rounds: round) }
        }
        return Outcome(verdict: .open, rounds: 1000)
    }

    @Test("Memory that hardly grows is judged after one block of rounds")
    func steady() {
        #expect(outcome { 100 + $0 % 5 } == Outcome(verdict: .steady, rounds: 8))
        #expect(outcome { 100 - $0 } == Outcome(verdict: .steady, rounds: 8))
    }

    @Test("Memory that grows by the same amount in each round is a leak", arguments: [1, 2, 7])
    func leaking(mebibytes: Int) {
        #expect(outcome { 100 + mebibytes * $0 } == Outcome(verdict: .leaking, rounds: 64))
    }

    @Test("Memory that a collector frees from time to time is not a leak", arguments: [10, 13, 20, 40])
    func collected(rounds: Int) {
        let result = outcome { 100 + $0 % rounds }
        #expect(result.verdict == .settled)
        #expect(result.rounds < 64)
    }

    @Test("Memory that is kept for later rounds is not a leak")
    func kept() {
        #expect(outcome { 100 + 2 * min($0, 10) } == Outcome(verdict: .settled, rounds: 24))
    }

    @Test("A very large growth is judged before it uses up the memory of the worker")
    func large() {
        #expect(outcome { 100 + 100 * $0 } == Outcome(verdict: .leaking, rounds: 8))
    }
}
