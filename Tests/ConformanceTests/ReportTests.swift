import Conformance
import Foundation
import FoundationXML
import JSON
import TestSupport
import Testing

@Suite("A report shows what a check found")
struct ReportTests {
    private func report() throws -> ConformanceReport {
        try Mutant.check("rows/once") { $0.rules = RuleCatalog.rules(fitting: "rows") }
    }

    @Test("Text, JSON and JUnit name the rule, its clause, what was seen, and what to do")
    func forms() throws {
        let report = try report()
        let rule = try #require(RuleCatalog.rule("rows/once"))
        let text = report.text()
        for part in [rule.id, rule.clause, rule.place, rule.advice, "has two rows"] {
            #expect(text.contains(part), "\(text)")
        }
        #expect(report.junit.contains("failures=\"1\""))
        #expect(
            report.junit.contains("<failure type=\"fail\" message=\"delete_books: Item 0 has two rows.\">"))
        let json = try #require(report.json.object)
        #expect(json["conforms"] == .bool(false))
        #expect(json["overlay"] == .string("base"))
        guard case .array(let rows)? = json["rules"] else {
            Issue.record("There are no rules.")
            return
        }
        #expect(rows.count == report.results.count)
        let broken = rows.compactMap { $0.object }.filter { $0["result"] == .string("fail") }
        #expect(broken.compactMap { $0["rule"] } == [.string("rows/once")])
    }

    @Test("Other programs read JUnit as XML and the document as JSON")
    func foreign() throws {
        let report = try report()
        let reader = CaseReader()
        let parser = XMLParser(data: Data(report.junit.utf8))
        parser.delegate = reader
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(reader.cases == report.results.map(\.rule.id))
        #expect(reader.failures == ["delete_books: Item 0 has two rows."])
        let document = try JSONSerialization.jsonObject(with: Data(report.json.text().utf8))
        let rules = try #require((document as? [String: Any])?["rules"] as? [[String: Any]])
        #expect(rules.compactMap { $0["rule"] as? String } == report.results.map(\.rule.id))
    }

    private final class CaseReader: NSObject, XMLParserDelegate {
        var cases: [String] = []
        var failures: [String] = []

        func parser(
            _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String]
        ) {
            if elementName == "testcase" { cases.append(attributes["name"] ?? "") }
            if elementName == "failure" { failures.append(attributes["message"] ?? "") }
        }
    }

    @Test("The report contains only the requested rules")
    func selection() throws {
        #expect(try report().results.allSatisfy { $0.rule.group == "rows" })
    }

    @Test("A pattern fits an id, a group, or any letters for a star")
    func patterns() {
        #expect(RuleCatalog.rules(fitting: "rows/once").map(\.id) == ["rows/once"])
        #expect(RuleCatalog.rules(fitting: "faults").count == 11)
        #expect(RuleCatalog.rules(fitting: "*-crash").map(\.id).allSatisfy { $0.hasSuffix("-crash") })
        #expect(RuleCatalog.rules(fitting: "*-crash").count == 3)
        #expect(RuleCatalog.rules(fitting: "*").count == RuleCatalog.all.count)
        #expect(RuleCatalog.rules(fitting: "rows/onc").isEmpty)
    }

    @Test("Two checks of one overlay find the same")
    func deterministic() throws {
        let first = try report()
        let second = try report()
        #expect(first.results.map(\.findings) == second.results.map(\.findings))
    }
}
