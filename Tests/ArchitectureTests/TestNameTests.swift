import Foundation
import Testing

@Suite("Names of tests are sentences, and the pages use the same names")
struct TestNameTests {
    /// A test or suite in a file.
    struct Name {
        let file: String
        let text: String
        /// The fault of the name; nil if there is none.
        var fault: String? {
            if text.contains(#/^\d+\.\d/#) { return "begins with a section number" }
            if text.contains(#/\(\d[\d., ]*\)$/#) { return "ends with a section number" }
            if text.contains(#/\b[Vv]erbs?\b/#) { return "calls a command a verb" }
            return text.split(separator: " ").count < 3 ? "has fewer than three words" : nil
        }
    }

    @Test("Every suite and test has a name of at least three words without a section number")
    func sentences() throws {
        let faults = try Self.names().compactMap { name in
            name.fault.map { "\(name.file): “\(name.text)” \($0)" }
        }
        #expect(faults == [])
        #expect(try Self.unnamed() == [])
    }

    @Test(
        "Faulty names are found",
        arguments: [
            "9.4 A range is read", "A range is read (6.2)", "The parts", "The verb books lists books",
        ])
    func faults(text: String) {
        #expect(Name(file: "", text: text).fault != nil)
        #expect(Name(file: "", text: "A range is read").fault == nil)
    }

    @Test("docs/conformance.md names only suites and tests that exist")
    func conformance() throws {
        let names = try Self.names().map(\.text)
        let rows = try SourceTree.text("docs/conformance.md").split(separator: "\n").filter {
            $0.hasPrefix("| ") && !$0.contains(#/\| Tests \|$/#)
        }
        #expect(rows.count > 50)
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let parts = try #require(cells.last)
                .replacing(" · ", with: "; ").replacing(" › ", with: "; ").components(separatedBy: "; ")
            for part in parts where !part.hasPrefix("fuzz target") && !part.hasPrefix("`") {
                let name = part.replacing(#/^\w+: /#, with: "")
                    .replacing(#/( \([^)]*\)|…|(, )?\b(all|both)( \w+)?)$/#, with: "")
                    .replacing(#/…$/#, with: "")
                // "all four" alone means the tests of the suite before it.
                #expect(name.isEmpty || names.contains { $0.contains(name) }, "\(name)")
            }
        }
    }

    /// The display names of all suites and tests.
    private static func names() throws -> [Name] {
        try files().flatMap { file, text in
            text.matches(of: #/@(?:Suite|Test)\(\s*"((?:[^"\\]|\\.)*)"/#).map {
                Name(file: file, text: String($0.1).replacing("\\\"", with: "\""))
            }
        }
    }

    /// Suites and tests without a display name.
    private static func unnamed() throws -> [String] {
        try files().flatMap { file, text in
            text.matches(of: #/(?m)^ *@(?:Suite|Test)(?!\(\s*")[^\n]*/#).map { "\(file): \($0.0)" }
        }
    }

    private static func files() throws -> [(String, String)] {
        let folder = SourceTree.root.appendingPathComponent("Tests").resolvingSymlinksInPath()
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".swift") && !$0.hasSuffix("TestNameTests.swift") }
            .sorted().map { ($0, try SourceTree.text("Tests/" + $0)) }
    }
}
