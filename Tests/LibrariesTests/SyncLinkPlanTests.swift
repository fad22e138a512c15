import BookModel
import Testing

@testable import Libraries

@Suite("A symbolic link in the source does not make the books behind it gone")
struct SyncLinkPlanTests {
    /// A bench that has sent four books, of which the source has one left.
    private func bench(link: String) -> PlanBench {
        var bench = PlanBench(deletes: true)
        let gone = ["Austen/Old/pride", "Austen/emma", "Austenland"]
        for name in gone + ["sand"] { bench.put(name) }
        bench.carryOut()
        for name in gone { bench.source[name] = nil }
        bench.links = [link]
        return bench
    }

    @Test("Books of a folder that is now a link are kept and fail, until the link is gone")
    func folder() {
        var bench = bench(link: "Austen")
        let held = ["keep Austen/Old/pride", "keep Austen/emma"]
        #expect(bench.words() == ["keep sand"] + held + ["remove Austenland"])
        #expect(
            bench.plan().filter(\.row.fails).map(\.row.item) == ["Austen/Old/pride", "Austen/emma"])
        bench.carryOut()
        #expect(bench.words() == ["keep sand"] + held)
        bench.links = []
        #expect(bench.words() == ["keep sand", "remove Austen/Old/pride", "remove Austen/emma"])
    }

    @Test("A link in the place of one file holds back that book only")
    func file() {
        #expect(
            bench(link: "Austen/emma").words() == [
                "keep sand", "remove Austen/Old/pride", "keep Austen/emma", "remove Austenland",
            ])
    }

    @Test("A preference for the source does not remove a changed copy whose book is behind a link")
    func changed() {
        var bench = bench(link: "Austen")
        bench.policy.prefers = .source
        for index in bench.device.indices { bench.device[index].title = "Changed" }
        #expect(bench.words().contains("keep Austen/emma"))
    }

    @Test("Without deletions nothing fails, and the reason is shown")
    func keeping() {
        var bench = bench(link: "Austen")
        bench.policy.deletes = false
        let rows = bench.plan().map(\.row)
        #expect(rows.allSatisfy { !$0.fails })
        #expect(rows.filter(\.isNotable).map(\.item) == ["Austen/Old/pride", "Austen/emma"])
    }
}
