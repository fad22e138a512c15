import BookModel
import Platform
import Testing

@testable import Libraries

@Suite("Unchanged copies are recognized by the digests of their rows")
struct SyncDigestPlanTests {
    /// A change on one side, or on both.
    private typealias Change = @Sendable (inout PlanBench) -> Void
    private static let changes: [(name: String, change: Change)] = [
        ("none", { _ in }), ("title", { $0.device[0].title = "Other" }),
        ("size", { $0.device[0].size = 1 }), ("content", { $0.device[0].contentID = "other" }),
        ("progress", { $0.device[0].progress = 0.5 }), ("words", { $0.device[0].wordCount = 9 }),
        ("moved", { $0.device[0].path = "elsewhere" }), ("gone", { $0.device.remove(at: 0) }),
        ("cover", { $0.source["Emma"]?.cover = "1 1 1" }), ("file", { $0.put("Emma", "new") }),
        ("metadata", { $0.put("Emma", tags: ["classic"]) }),
        ("touched", { $0.source["Emma"]?.stamp = "touched" }),
        ("renamed", { $0.source["Emmy"] = $0.source.removeValue(forKey: "Emma") }),
        ("pending", { $0.state["Emma"]?.isPending = true }),
        ("identity", { $0.state["Emma"]?.identity = Book(title: "Emma") }),
        ("narrow digest", { $0.state["Emma"]?.copy?.metadata = MetadataDigest(fields: [], number: 0) }),
    ]

    @Test("A digest of a copy saves work and does not affect the plan", arguments: changes.map(\.name))
    func digests(name: String) throws {
        let change = try #require(Self.changes.first { $0.name == name }).change
        var bench = PlanBench.agreed(deletes: true)
        bench.carryOut()
        #expect(bench.state["Emma"]?.copy?.digest != nil)
        change(&bench)
        let fast = bench.plan()
        bench.hasDigests = false
        let slow = bench.plan()
        #expect(fast.map(\.row) == slow.map(\.row))
        #expect(fast.map { $0.after?.path } == slow.map { $0.after?.path })
        #expect(fast.map { $0.after?.copy?.metadata } == slow.map { $0.after?.copy?.metadata })
    }

    @Test("Unchanged copies are not unpacked")
    func unpacked() {
        var bench = PlanBench.agreed()
        bench.carryOut()
        let before = bench.unpacked.count
        #expect(bench.plan().map(\.row.action) == [.keep, .keep])
        #expect(bench.unpacked.count == before)
        bench.device[0].title = "Other"
        _ = bench.plan()
        #expect(bench.unpacked.count > before)
    }

    @Test("Metadata that changed in a library is an update, although the file and the copy are unchanged")
    func libraryMetadata() {
        var bench = PlanBench()
        (bench.isLibrary, bench.policy.keysAreNames) = (true, false)
        bench.put("Emma", tags: ["novel"])
        bench.carryOut()
        bench.carryOut()
        #expect(bench.words() == ["keep Emma"])
        bench.source["Emma"]?.book.tags = ["classic"]
        #expect(bench.words() == ["update Emma"])
    }

    @Test("A copy that was moved and changed, and then both were undone, is known at its first path")
    func undone() throws {
        var bench = PlanBench.agreed()
        bench.carryOut()
        let first = bench.device[0]
        let digest = bench.state["Emma"]?.copy?.digest
        (bench.device[0].path, bench.device[0].title) = ("elsewhere", "Other")
        bench.carryOut()
        #expect(bench.state["Emma"]?.path == "elsewhere" && bench.state["Emma"]?.copy?.digest == nil)
        bench.device[0] = first
        for old in [nil, digest] {
            bench.state["Emma"]?.copy?.digest = old
            let step = try #require(bench.plan().first { $0.device == 0 })
            #expect(step.row.path == first.path && step.after?.path == first.path)
        }
    }

    /// Whether the state has to be saved after a change on the device.
    private func isSaved(_ change: (inout PlanBench) -> Void) -> (isSaved: Bool, isChanged: Bool) {
        var bench = PlanBench()
        for number in 0..<30 { bench.put("Book \(number)") }
        bench.carryOut()
        bench.carryOut()
        change(&bench)
        var (steps, state) = (bench.plan(), bench.state)
        let isSaved = state.settleKept(&steps)
        return (isSaved, state != bench.state)
    }

    @Test("A digest that has changed need not be saved, unless there are many, or something else has changed")
    func savedDigests() throws {
        #expect(isSaved { _ in } == (false, false))
        #expect(isSaved { $0.device[0].progress = 0.5 } == (false, true))
        let many = isSaved { bench in
            for place in bench.device.indices { bench.device[place].progress = 0.5 }
        }
        #expect(many == (true, true))
        #expect(isSaved { $0.device[0].title = "Other" } == (true, true))
        #expect(isSaved { $0.device[0].path = "elsewhere" } == (true, true))
        #expect(isSaved { $0.state["Book 0"]?.copy?.digest = nil } == (true, true))
    }

    @Test("A path in another Unicode form has to be saved")
    func savedSpelling() throws {
        var bench = PlanBench()
        bench.put("caf\u{E9}")
        bench.carryOut()
        bench.carryOut()
        bench.device[0].path = "books/cafe\u{301}"
        var (steps, state) = (bench.plan(), bench.state)
        let isSaved = state.settleKept(&steps)
        #expect(isSaved)
        #expect(state["caf\u{E9}"]?.path.map { Array($0.utf8) } == Array("books/cafe\u{301}".utf8))
    }

    @Test("The record of a copy whose progress changed gets the new digest")
    func newDigest() throws {
        var bench = PlanBench.agreed()
        bench.device[0].progress = 0.5
        let step = try #require(bench.plan().first { $0.device == 0 })
        #expect(step.row.action == .keep && step.row.reason == nil)
        #expect(step.after?.copy?.digest != step.before?.copy?.digest)
        bench.carryOut()
        let next = try #require(bench.plan().first { $0.device == 0 })
        #expect(next.after == next.before)
    }
}
