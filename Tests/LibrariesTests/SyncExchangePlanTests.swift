import BookModel
import Testing

@testable import Libraries

@Suite("Copies that exchanged their names on the device stay the copies of their books")
struct SyncExchangePlanTests {
    /// Books of different sizes on both sides. Each copy on the device then gets the path of the next one.
    private func bench(_ count: Int, deletes: Bool = false) -> PlanBench {
        var bench = PlanBench(deletes: deletes)
        for (number, content) in ["alpha", "be", "gamma gamma"].prefix(count).enumerated() {
            bench.put("\(number)", content, title: "Book of \(content)")
        }
        bench.carryOut()
        let paths = bench.device.map(\.path)
        for index in paths.indices { bench.device[index].path = paths[(index + 1) % count] }
        return bench
    }

    @Test("They are unchanged, and replaced at their new paths", arguments: [2, 3], [true, false])
    func exchanged(count: Int, listsContents: Bool) {
        var bench = bench(count)
        if !listsContents { for index in 0..<count { bench.device[index].contentID = nil } }
        #expect(bench.plan().allSatisfy { $0.row.action == .keep && $0.row.reason == nil })
        #expect(bench.plan().map(\.row.path) == bench.device.map(\.path))
        bench.carryOut()
        let path = bench.device[0].path
        bench.put("0", "second edition", title: "Book of alpha")
        #expect(bench.words() == Array(["replace 0", "keep 1", "keep 2"].prefix(count)))
        #expect(bench.plan()[0].row.path == path)
        bench.carryOut()
        #expect(bench.device.first { $0.path == path }?.contentID == "second edition")
        #expect(
            Set(bench.device.compactMap(\.title))
                == Set(["Book of alpha", "Book of be", "Book of gamma gamma"].prefix(count)))
    }

    @Test("The copy of a book that is gone from the source is removed, and not the one at its former path")
    func removed() {
        var bench = bench(2, deletes: true)
        bench.source["0"] = nil
        #expect(bench.words() == ["keep 1", "remove 0"])
        bench.carryOut()
        #expect(bench.device.map(\.contentID) == ["be"])
    }

    @Test("A conflict is about the copy of its book, also in the next run")
    func conflict() {
        var bench = bench(2)
        bench.device[0].title = "Mine"
        bench.put("0", "second edition", title: "Book of alpha")
        for _ in 0..<2 {
            #expect(bench.words() == ["conflict 0", "keep 1"])
            #expect(bench.plan().map(\.row.path) == bench.device.map(\.path))
            bench.carryOut()
        }
    }

    @Test("A copy that only got the size of another one is a copy that the app changed")
    func sameSize() {
        var bench = PlanBench()
        bench.put("0", "alpha", title: "Alpha")
        bench.put("1", "be", title: "Be")
        bench.carryOut()
        bench.device[0].size = bench.device[1].size
        #expect(bench.plan().map(\.row.path) == bench.device.map(\.path))
        #expect(bench.plan().map(\.row.reason) == ["The copy in Nova changed (size).", nil])
        // Both changed, but only one of them has the size of the other.
        bench.device[1].size = 99
        #expect(bench.plan().map(\.row.path) == bench.device.map(\.path))
    }
}
