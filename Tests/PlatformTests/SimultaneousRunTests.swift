import Platform
import Testing

@Suite("Work runs on several threads")
struct SimultaneousRunTests {
    @Test("All pieces run at the same time, and their results have the order of the pieces")
    func together() {
        let arrived = Monitor(0)
        let results = SimultaneousRun.map(Array(0..<5)) { number in
            arrived.change { $0 += 1 }
            // Ends only if no piece waits for the end of another.
            arrived.wait { $0 == 5 ? () : nil }
            return number * number
        }
        #expect(results == [0, 1, 4, 9, 16])
        #expect(SimultaneousRun.map([Int]()) { $0 } == [])
    }

    @Test("One of two pieces runs on the caller's thread, and the other at the same time")
    func both() {
        let caller = SystemThread.current
        let arrived = Monitor(0)
        let (isHere, isThere) = SimultaneousRun.both(
            {
                arrived.wait { $0 == 1 ? () : nil }
                return SystemThread.current == caller
            },
            {
                arrived.change { $0 = 1 }
                return SystemThread.current != caller
            })
        #expect(isHere && isThere)
    }

    @Test("Without a thread both pieces run on the caller's, one after the other")
    func withoutThread() {
        let caller = SystemThread.current
        let (first, second) = SimultaneousRun.both(
            stackSize: 1 << 50, { SystemThread.current == caller }, { SystemThread.current == caller })
        #expect(first && second)
    }
}
