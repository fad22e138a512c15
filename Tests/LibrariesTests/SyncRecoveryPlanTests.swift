import BookModel
import Platform
import Testing

@testable import Libraries

@Suite("A plan finishes interrupted work, under any name")
struct SyncRecoveryPlanTests {
    @Test("A book whose sending was cut off gets what the source says of it, and stays the source's")
    func unfinishedAddition() throws {
        var bench = PlanBench(deletes: true)
        bench.put("Emma", tags: ["Bath"])
        var record = try #require(bench.plan().first?.after)
        record.isPending = true
        record.identity = bench.source["Emma"]?.book
        bench.state["Emma"] = record
        bench.onDevice("books/Emma", "content of Emma", Book(title: "Title in the file"))
        #expect(bench.words() == ["update Emma"])
        #expect(
            bench.plan().first?.changes == Book(title: "Emma", authors: ["Jane Austen"], tags: ["Bath"]))
        bench.carryOut()
        #expect(bench.words() == ["keep Emma"] && bench.state["Emma"]?.isPending == false)
        bench.source = [:]
        #expect(bench.words() == ["remove Emma"])
    }

    @Test(
        "Values that an interrupted change removed from the device come back, even if the source reverted"
    )
    func unfinishedUpdate() {
        var bench = PlanBench()
        bench.put("Emma", tags: ["Bath"])
        bench.carryOut()
        bench.state["Emma"]?.isPending = true
        bench.device[0].tags = []
        #expect(bench.plan().first?.changes == Book(tags: ["Bath"]))
    }

    @Test(
        "A file that was moved and changed replaces the copy of the former one, unless the app changed that")
    func movedAndChanged() {
        var bench = PlanBench(deletes: true)
        bench.put("Emma")
        bench.carryOut()
        bench.source = [:]
        bench.put("Austen/Emma", "second edition", title: "Emma")
        var edited = bench
        edited.device[0].rating = 5
        #expect(edited.words() == ["conflict Austen/Emma"])
        edited.carryOut()
        #expect(edited.words() == ["conflict Austen/Emma"])
        #expect(bench.words() == ["replace Austen/Emma"])
        bench.carryOut()
        #expect(bench.words() == ["keep Austen/Emma"] && bench.device.count == 1)
        #expect(bench.state.records.count == 1)
        bench.source = [:]
        #expect(bench.words() == ["remove Austen/Emma"])
    }

    @Test("A rating that came from the source is cleared when it is gone there; another one stays")
    func rating() {
        var bench = PlanBench()
        bench.policy.settable.insert("rating")
        bench.policy.prefers = .source
        bench.put("Emma")
        bench.put("Persuasion")
        bench.source["Emma"]?.book.rating = 4
        bench.carryOut()
        bench.device[1].rating = 5
        bench.put("Emma")
        bench.put("Persuasion", tags: ["Navy"])
        #expect(bench.plan().map(\.changes) == [Book(rating: 0), Book(tags: ["Navy"])])
    }

    @Test("A book without a uuid is known by the one that its content made, under any title")
    func contentAsUUID() {
        var bench = PlanBench()
        bench.onDevice(
            "mine", "rewritten", Book(uuid: "another content", title: "Called by me", authors: ["Me"]))
        bench.put("Emma")
        #expect(bench.words() == ["add Emma"])
        bench.device[0].uuid = "CONTENT OF EMMA"
        #expect(bench.words() == ["keep Emma"])
    }

    @Test("Only what takes the place of a copy that the app changed decides a conflict")
    func decided() {
        var bench = PlanBench()
        bench.put("Emma")
        bench.put("Persuasion")
        bench.carryOut()
        bench.device[0].title = "Mine"
        bench.put("Emma", "second edition")
        bench.put("Persuasion", "second edition of it")
        bench.policy.prefers = .source
        #expect(bench.words() == ["replace Emma", "replace Persuasion"])
        #expect(bench.plan().map(\.decidesConflict) == [true, false])
    }
}
