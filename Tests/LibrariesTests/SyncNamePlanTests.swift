import BookModel
import Platform
import TestSupport
import Testing

@testable import Libraries

@Suite("Books of a folder whose names were exchanged stay the same books")
struct SyncNamePlanTests {
    /// Two books in a folder and on the device.
    private func bench(deletes: Bool = false, uuids: Bool = true) -> PlanBench {
        var bench = PlanBench(deletes: deletes)
        bench.put("01", "alpha", title: "Alpha", uuid: uuids ? "a" : nil)
        bench.put("02", "beta", title: "Beta", uuid: uuids ? "b" : nil)
        bench.carryOut()
        return bench
    }

    /// The titles and contents on the device.
    private func shelf(_ bench: PlanBench) -> [String] {
        bench.device.map { "\($0.title ?? ""): \($0.contentID ?? "")" }.sorted()
    }

    @Test("Renumbered books keep their copies, and the new first one is added", arguments: [true, false])
    func renumbered(isTouched: Bool) {
        var bench = bench()
        (bench.source["03"], bench.source["02"]) = (bench.source["02"], bench.source["01"])
        bench.put("01", "zero", title: "Zero", uuid: "z")
        if isTouched { for name in ["02", "03"] { bench.source[name]?.stamp += "touched" } }
        #expect(bench.words() == ["add 01", "keep 02", "keep 03"])
        bench.carryOut()
        #expect(shelf(bench) == ["Alpha: alpha", "Beta: beta", "Zero: zero"])
        #expect(bench.words() == ["keep 01", "keep 02", "keep 03"])
        // All of them came from the source.
        bench.policy.deletes = true
        bench.source = [:]
        #expect(bench.words() == ["remove 01", "remove 02", "remove 03"])
    }

    @Test("Renumbered books that all changed replace their own copies")
    func renumberedAndChanged() {
        var bench = bench()
        bench.put("01", "zero", title: "Zero", uuid: "z")
        bench.put("02", "alpha 2", title: "Alpha", uuid: "a")
        bench.put("03", "beta 2", title: "Beta", uuid: "b")
        #expect(bench.words() == ["add 01", "replace 02", "replace 03"])
        bench.carryOut()
        #expect(shelf(bench) == ["Alpha: alpha 2", "Beta: beta 2", "Zero: zero"])
        #expect(bench.words() == ["keep 01", "keep 02", "keep 03"])
    }

    @Test("One of two exchanged books that changed replaces its own copy")
    func swappedAndChanged() {
        var bench = bench(deletes: true)
        bench.source["02"] = bench.source["01"]
        bench.put("01", "beta 2", title: "Beta", uuid: "b")
        #expect(bench.words() == ["replace 01", "keep 02"])
        bench.carryOut()
        #expect(shelf(bench) == ["Alpha: alpha", "Beta: beta 2"])
        bench.source["01"] = nil
        #expect(bench.words() == ["keep 02", "remove 01"])
    }

    @Test("When the first of three books is gone and the others move up, its copy is removed")
    func movedUp() {
        var bench = bench(deletes: true)
        bench.put("03", "gamma", title: "Gamma", uuid: "c")
        bench.carryOut()
        bench.source["01"] = bench.source["02"]
        bench.source["02"] = bench.source["03"]
        bench.source["03"] = nil
        #expect(bench.words() == ["keep 01", "keep 02", "remove 01"])
        bench.carryOut()
        #expect(shelf(bench) == ["Beta: beta", "Gamma: gamma"])
        #expect(bench.words() == ["keep 01", "keep 02"])
    }

    @Test("A run that ends early mixes up no exchanged books", arguments: 0...3)
    func cutOff(limit: Int) {
        var bench = bench(uuids: false)
        (bench.source["03"], bench.source["02"]) = (bench.source["02"], bench.source["01"])
        bench.put("01", "zero", title: "Zero")
        bench.carryOut(limit: limit)
        bench.carryOut()
        #expect(shelf(bench) == ["Alpha: alpha", "Beta: beta", "Zero: zero"])
        #expect(bench.words() == ["keep 01", "keep 02", "keep 03"])
    }

    @Test("If nothing says which book is which, none of the source is missing on the device in the end")
    func uncertain() {
        var bench = bench(uuids: false)
        bench.put("01", "zero", title: "Zero")
        bench.put("02", "alpha 2", title: "Alpha")
        bench.put("03", "beta 2", title: "Beta")
        for _ in 0..<3 { bench.carryOut() }
        #expect(Set(shelf(bench)).isSuperset(of: ["Alpha: alpha 2", "Beta: beta 2", "Zero: zero"]))
    }

    @Test("Exchanged names stay with their books, which still came from the source")
    func swapped() {
        var bench = bench(deletes: true)
        (bench.source["01"], bench.source["02"]) = (bench.source["02"], bench.source["01"])
        #expect(bench.words() == ["keep 01", "keep 02"])
        bench.carryOut()
        bench.source["01"] = nil
        #expect(bench.words() == ["keep 02", "remove 01"])
        bench.carryOut()
        #expect(shelf(bench) == ["Alpha: alpha"])
    }

    @Test(
        "Another book at the name of one is added, and the former one counts as gone",
        arguments: [true, false])
    func overwritten(deletes: Bool) {
        var bench = bench(deletes: deletes)
        bench.put("01", "other", title: "Other", author: "Somebody Else", uuid: "o")
        #expect(bench.words() == ["add 01", "keep 02", deletes ? "remove 01" : "keep 01"])
        bench.carryOut()
        #expect(
            shelf(bench) == (deletes ? [] : ["Alpha: alpha"]) + ["Beta: beta", "Other: other"])
        #expect(bench.words() == ["keep 01", "keep 02"] + (deletes ? [] : ["keep 01"]))
    }

    @Test("In a calibre library, a key identifies a book after every change")
    func calibre() {
        var bench = bench()
        bench.policy.keysAreNames = false
        bench.put("01", "other", title: "Other", author: "Somebody Else", uuid: "o")
        #expect(bench.words() == ["replace 01", "keep 02"])
    }

    @Test("The second edition is sent when the first one is gone from the source")
    func editions() {
        var bench = PlanBench(deletes: true)
        bench.put("1", "first", title: "Emma")
        bench.put("2", "second", title: "Emma")
        bench.carryOut()
        #expect(shelf(bench) == ["Emma: first"])
        bench.source["1"] = nil
        #expect(bench.words() == ["replace 2"])
        // The app refuses the replacement.
        var steps = bench.plan()
        _ = bench.state.rename(&steps)
        if let before = steps[0].before { bench.state[before.key] = before }
        bench.state.forget(otherThan: steps, present: [ExactText("2")])
        #expect(bench.words() == ["replace 2"])
        bench.carryOut()
        #expect(shelf(bench) == ["Emma: second"])
        bench.source["2"] = nil
        #expect(bench.words() == ["remove 2"])
    }

    @Test(
        "A copy whose content and metadata both changed may be another book, and is not removed by a preference"
    )
    func otherAtPath() {
        var bench = bench(deletes: true)
        bench.policy.prefers = .source
        (bench.device[0].title, bench.device[0].contentID) = ("My very own", "mine")
        bench.source["01"] = nil
        #expect(bench.words() == ["keep 02", "conflict 01"])
    }
}
