import BookModel
import HostErrors
import Testing

@testable import Libraries

@Suite("A sync removes many books of a source only if the user has confirmed their number")
struct RemovalLimitTests {
    /// The error for the removal of `gone` books of a source from which `count` books came.
    private func refusal(of gone: Int, from count: Int, confirmed: Int? = nil) -> HostError? {
        var bench = PlanBench(deletes: true)
        for number in 0..<count { bench.put("book \(number)") }
        bench.carryOut()
        for number in 0..<gone { bench.source["book \(number)"] = nil }
        return RemovalLimit(confirmed, bench.state, isDoubtful: bench.source.isEmpty)
            .refusal(of: bench.plan())
    }

    @Test("Twenty books, or a quarter of those that came from the source, are removed without confirmation")
    func share() {
        #expect(refusal(of: 20, from: 21) == nil)
        #expect(refusal(of: 21, from: 22)?.code == .needsConsent)
        #expect(refusal(of: 21, from: 84) == nil)
        let error = refusal(of: 22, from: 84)
        #expect(error?.message == "The sync would remove 22 of 84 books that came from this source.")
        #expect(error?.hint?.contains("To remove the books, use --max-delete 22,") == true)
        #expect(error?.hintCode == .consent)
    }

    @Test("No book of an emptied source is removed without confirmation")
    func emptied() {
        #expect(
            refusal(of: 1, from: 1)?.message
                == "The sync would remove the only book that came from this source.")
        #expect(
            refusal(of: 3, from: 3)?.message
                == "The sync would remove 3 of 3 books that came from this source.")
    }

    @Test("The confirmed number is the limit, whether it is large or small")
    func confirmed() {
        #expect(refusal(of: 7, from: 8, confirmed: 7) == nil)
        #expect(refusal(of: 7, from: 8, confirmed: 6) != nil)
        #expect(refusal(of: 1, from: 8, confirmed: 0) != nil)
        #expect(refusal(of: 3, from: 3, confirmed: 3) == nil)
    }

    @Test("Books that were on the device before do not count as books of the source")
    func foreign() {
        var bench = PlanBench(deletes: true)
        for number in 0..<20 {
            bench.onDevice(
                "mine/\(number)", "content of book \(number)", Book(title: "book \(number)"))
        }
        for number in 0..<42 { bench.put("book \(number)") }
        bench.carryOut()
        for number in 20..<41 { bench.source["book \(number)"] = nil }
        let error = RemovalLimit(nil, bench.state, isDoubtful: false).refusal(of: bench.plan())
        #expect(error?.message == "The sync would remove 21 of 22 books that came from this source.")
    }
}
