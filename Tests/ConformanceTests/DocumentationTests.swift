import Conformance
import Foundation
import Testing

@Suite("The manual of the checker shows the rules as they are")
struct DocumentationTests {
    private static var page: String {
        get throws {
            let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../docs/checker.md")
            return try String(contentsOf: file.standardized, encoding: .utf8)
        }
    }

    @Test("Each rule has its row, and each row its rule")
    func rows() throws {
        let rows = try Self.page.split(separator: "\n").filter { line in
            line.hasPrefix("| `") && line.prefix { $0 != " " || line.hasPrefix("| ") }.contains("/")
        }.map { String($0) }
        let expected = RuleCatalog.all.map { rule in
            "| `\(rule.id)` | \(rule.clause) (\(rule.place)) | \(rule.trial) |"
        }
        let shown = Set(rows)
        for row in expected { #expect(shown.contains(row), "docs/checker.md lacks: \(row)") }
        let ids = rows.compactMap { $0.split(separator: "`").dropFirst().first.map { String($0) } }
            .filter { $0.contains("/") && !$0.contains(" ") && !$0.contains(".") }
        #expect(Set(ids) == Set(RuleCatalog.all.map(\.id)))
    }

    @Test("Every scenario is described")
    func scenarios() throws {
        let page = try Self.page
        for scenario in Scenario.allCases { #expect(page.contains("| \(scenario.rawValue) |")) }
    }

    @Test("Each rule says all that a finding needs, and ids are in kebab-case")
    func texts() {
        for rule in RuleCatalog.all {
            for text in [rule.clause, rule.place, rule.trial, rule.advice] { #expect(!text.isEmpty) }
            for text in [rule.clause, rule.trial, rule.advice] {
                #expect(text.hasSuffix("."), "\(rule.id): \(text)")
            }
            let letters = rule.id.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2F
            }
            #expect(letters && rule.id.split(separator: "/").count == 2, "\(rule.id)")
            #expect(!rule.scenarios.isEmpty)
        }
    }
}
