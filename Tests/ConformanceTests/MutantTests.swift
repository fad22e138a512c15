import Conformance
import TestSupport
import Testing

@Suite("Each rule of the checker is broken by one overlay, which breaks no other")
struct MutantTests {
    /// The checker's result for a mutant, where it is not `fail`.
    private static let words: [String: String] = [
        "loading/crash": "crash", "loading/returns": "timeout", "services/withheld": "crash",
        "services/size": "crash",
        "faults/vanish-crash": "crash", "faults/full-crash": "crash", "faults/cancel-crash": "crash",
        "faults/cancel-heard": "timeout", "process/crash": "crash", "process/exit": "crash",
        "process/returns": "timeout", "process/memory": "crash", "process/connection": "crash",
        "time/cleanup": "timeout",
    ]

    @Test("A mutant fails its rule and no other", arguments: RuleCatalog.all.map(\.id))
    func mutant(_ id: String) throws {
        let report = try Mutant.check(id) { options in
            switch id {
            case "loading/returns", "process/returns": options.silence = .milliseconds(500)
            case "process/memory": options.memory = 256 << 20
            // The kernel includes the memory of the starting process in a process's peak, and this process runs all
            // tests at once.
            case "process/crash": options.memory = 64 << 30
            case "faults/cancel-heard": options.afterCancel = .milliseconds(300)
            case "faults/cancel-leftovers", "faults/full-leftovers": options.faultPoints = 8
            // The mutant breaks its rule only if a part of the book has arrived, which depends on the order of the
            // requests.
            case "faults/cut-status": options.faultPoints = 20
            default: break
            }
        }
        #expect(report.broken == [id], "\(report.text())")
        let result = try #require(report.results.first { $0.rule.id == id })
        #expect(result.outcome.word == Self.words[id, default: "fail"])
        #expect(result.findings.first?.seen.isEmpty == false)
    }

    @Test("Every rule has a mutant, and every mutant a rule")
    func oneToOne() throws {
        #expect(try Mutant.ids() == Set(RuleCatalog.all.map(\.id)))
        #expect(Set(RuleCatalog.all.map(\.id)).count == RuleCatalog.all.count)
    }

    @Test("The overlay that all mutants are made from keeps every rule, and every rule is tried")
    func base() throws {
        let report = try Mutant.check("Base")
        #expect(report.broken == [], "\(report.text())")
        #expect(report.skipped == [])
        #expect(report.results.count == RuleCatalog.all.count)
    }
}
