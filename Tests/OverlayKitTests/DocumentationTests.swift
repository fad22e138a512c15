import Foundation
import Testing

@Suite("The examples in the doc comments of OverlayKit are the compiled ones")
struct DocumentationTests {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let sources = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources")

    /// Types without an example, each for its reason.
    private static let withoutExample: Set<String> = [
        // The one line that uses it stands at `entry(for:)`: a test has no entry function that it could export.
        "OverlayExport"
    ]

    /// The lines between the markers, by the name of the type, without their common indentation.
    private func compiled() throws -> [String: [String]] {
        let files = ["DocumentationExamples.swift", "DocumentationValueExamples.swift"]
        let text = try files.map {
            try String(contentsOf: Self.tests.appendingPathComponent($0), encoding: .utf8)
        }.joined()
        var examples: [String: [String]] = [:]
        var open: (name: String, lines: [String])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.hasPrefix("// Example: ") {
                open = (String(trimmed.dropFirst(12)), [])
            } else if trimmed == "// End", let example = open {
                examples[example.name] = dedented(example.lines)
                open = nil
            } else {
                open?.lines.append(line)
            }
        }
        return examples
    }

    /// The examples of doc comments, by the name of the public type below them, and all such names.
    private func documented() throws -> (examples: [String: [String]], types: Set<String>) {
        var (examples, types): ([String: [String]], Set<String>) = ([:], [])
        let files = try ["OverlayKit", "OverlayBridge"].flatMap { module in
            let folder = Self.sources.appendingPathComponent(module)
            return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                .map { folder.appendingPathComponent($0) }
        }
        for file in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            var comment: [String] = []
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
                if line.hasPrefix("///") {
                    comment.append(String(line.dropFirst(3)))
                    continue
                }
                if let match = line.firstMatch(
                    of: /^public (final )?(struct|class|enum|protocol|typealias) (\w+)/)
                {
                    let name = String(match.output.3)
                    types.insert(name)
                    examples[name] = example(in: comment)
                }
                comment = []
            }
        }
        return (examples, types)
    }

    /// The lines of a comment that are indented as code, with the empty lines between them.
    private func example(in comment: [String]) -> [String]? {
        guard let first = comment.firstIndex(where: { $0.hasPrefix("     ") }),
            let last = comment.lastIndex(where: { $0.hasPrefix("     ") })
        else { return nil }
        return dedented(Array(comment[first...last]))
    }

    private func dedented(_ lines: [String]) -> [String] {
        let indents = lines.filter { !$0.allSatisfy(\.isWhitespace) }.map { $0.prefix { $0 == " " }.count }
        return lines.map { String($0.dropFirst(indents.min() ?? 0)) }
    }

    @Test("Every example in a doc comment is compiled, word for word")
    func examples() throws {
        let (compiled, documented) = (try compiled(), try documented())
        #expect(documented.examples.keys.sorted() == compiled.keys.sorted())
        for (name, example) in documented.examples { #expect(compiled[name] == example, "\(name)") }
    }

    @Test("Every main public type has an example")
    func complete() throws {
        let documented = try documented()
        let missing = documented.types.subtracting(documented.examples.keys)
        #expect(missing == Self.withoutExample)
    }
}
