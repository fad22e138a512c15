import BookModel
import Platform
import TestSupport
import Testing

@testable import Libraries

@Suite("A plan leaves conflicts open, or decides them for the side that is preferred")
struct SyncConflictPlanTests {
    @Test("A book that was there before and is known only by its title is not replaced without a decision")
    func foreign() {
        func bench(_ content: String = "my own", uuid: String? = nil) -> PlanBench {
            var bench = PlanBench(deletes: true)
            bench.onDevice("books/Mine", content, Book(uuid: uuid, title: "Emma", authors: ["Jane Austen"]))
            bench.put("Emma", uuid: "u")
            #expect(bench.words() == ["keep Emma"])
            bench.carryOut()
            bench.put("Emma", "second edition", uuid: "u")
            return bench
        }
        for uuid in [nil, "other"] {
            var bench = bench(uuid: uuid)
            let step = bench.plan()[0]
            #expect(step.row.action == .conflict)
            #expect(
                step.row.reason == "The copy in Nova did not come from this source, and the source changed.")
            bench.policy.prefers = .source
            #expect(bench.words() == ["replace Emma"])
            // From then on the copy is the source's, whether or not the device lists contents.
            var replaced = bench
            replaced.carryOut()
            replaced.policy.prefers = nil
            for place in replaced.device.indices { replaced.device[place].contentID = nil }
            replaced.put("Emma", "third edition", uuid: "u")
            #expect(replaced.words() == ["replace Emma"])
            bench.policy.prefers = .device
            #expect(bench.words() == ["keep Emma"])
            bench.carryOut()
            bench.policy.prefers = nil
            #expect(bench.words() == ["keep Emma"])
            bench.put("Emma", "third edition", uuid: "u")
            #expect(bench.words() == ["conflict Emma"])
        }
        // The same uuid or content tells that it is the source's book.
        #expect(bench(uuid: "U").words() == ["replace Emma"])
        #expect(bench("content of Emma").words() == ["replace Emma"])
    }

    @Test(
        "Where the app changed its copy and the source changed or went, there is a conflict",
        arguments: [true, false])
    func conflict(deletes: Bool) {
        for change in ["size", "content", "metadata"] {
            var bench = PlanBench.agreed(deletes: deletes)
            switch change {
            case "size": bench.device[0].size = 99
            case "content": bench.device[0].contentID = "annotated"
            default: bench.device[0].title = "Emma, my favourite"
            }
            #expect(bench.words() == ["keep Emma", "keep Persuasion"])
            #expect(bench.plan()[0].row.reason?.contains(change) == true)
            var edited = bench
            edited.put("Emma", "second edition")
            #expect(edited.words() == ["conflict Emma", "keep Persuasion"])
            #expect(
                edited.plan()[0].row.reason?.hasSuffix(" They differ in: title.") == (change == "metadata"))
            edited.carryOut()
            #expect(edited.words() == ["conflict Emma", "keep Persuasion"])
            bench.source["Emma"] = nil
            #expect(bench.words() == ["keep Persuasion", "conflict Emma"])
            bench.carryOut()
            #expect(bench.device.count == 2)
        }
    }

    @Test(
        "A conflict is decided for the source: its book takes the place of the copy, and the next plan is silent"
    )
    func preferringSource() {
        var bench = PlanBench.agreed()
        bench.policy.prefers = .source
        bench.device[0].title = "Mine"
        bench.device[1].size = 99
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        bench.put("Emma", tags: ["Bath"])
        // The file was changed in the app, so it is replaced although only its metadata are new in the source.
        bench.put("Persuasion", tags: ["Navy"])
        #expect(bench.words() == ["update Emma", "replace Persuasion"])
        #expect(bench.plan()[0].row.reason?.contains("The copy in Nova changed (metadata)") == true)
        #expect(bench.plan()[0].changes == Book(title: "Emma", tags: ["Bath"]))
        bench.carryOut()
        bench.policy.prefers = nil
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        #expect(bench.plan().allSatisfy { $0.row.reason == nil })
        #expect(bench.device.first { $0.path == "books/Emma" }?.title == "Emma")
    }

    @Test("A conflict is decided for the device: its copy counts as agreed, until the source changes again")
    func preferringDevice() {
        var bench = PlanBench.agreed()
        bench.device[0].title = "Mine"
        bench.put("Emma", "second edition")
        bench.policy.prefers = .device
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        #expect(bench.plan()[0].row.isNotable && !bench.plan()[1].row.isNotable)
        bench.carryOut()
        bench.policy.prefers = nil
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        #expect(bench.plan().allSatisfy { $0.row.reason == nil && !$0.row.isNotable })
        #expect(bench.device[0].title == "Mine" && bench.device[0].contentID == "content of Emma")
        bench.put("Emma", "third edition")
        #expect(bench.words() == ["replace Emma", "keep Persuasion"])
    }

    @Test("A changed copy whose book is gone from the source is removed, kept or left open, as is preferred")
    func preferringGone() {
        for (preferred, deletes, word) in [
            (SyncPreference.source, true, "remove Emma"), (.source, false, "conflict Emma"),
            (.device, true, "keep Emma"), (.device, false, "keep Emma"),
        ] {
            var bench = PlanBench.agreed(deletes: deletes)
            bench.device[0].title = "Mine"
            bench.source["Emma"] = nil
            bench.policy.prefers = preferred
            #expect(bench.words() == ["keep Persuasion", word])
            bench.carryOut()
            bench.policy.prefers = nil
            let isOpen = word == "conflict Emma"
            #expect(bench.words() == ["keep Persuasion"] + (isOpen ? [word] : []))
            #expect(bench.device.count == (word == "remove Emma" ? 1 : 2))
        }
    }

    @Test("Two sides that made the same change have no conflict")
    func converged() {
        var bench = PlanBench.agreed()
        bench.device[0].contentID = "second edition"
        bench.put("Emma", "second edition")
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        bench.carryOut()
        bench.put("Emma", "third")
        #expect(bench.words() == ["replace Emma", "keep Persuasion"])
    }

    @Test("Changes of the app in its file stay a conflict after a change that it cannot take")
    func rewritten() {
        var bench = PlanBench.agreed()
        (bench.device[0].contentID, bench.device[0].size) = ("with notes", 99)
        // Only a field that the app cannot set has changed.
        bench.source["Emma"]?.book.publisher = "Another"
        bench.source["Emma"]?.stamp = "new"
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        bench.carryOut()
        bench.put("Emma", "second edition")
        #expect(bench.words() == ["conflict Emma", "keep Persuasion"])
    }
}
