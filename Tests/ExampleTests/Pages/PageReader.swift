import Foundation
import TestSupport
import Testing

/// Follows the instructions of a page in its own workshop, and checks the results that it promises.
struct PageReader {
    let shop: Workshop
    /// The folder in which commands run and files are saved; commands may change it.
    private var place: URL
    private var printed: String? = ""
    /// Additional programs that the page's commands may use.
    private let tools: Set<String>

    init(_ shop: Workshop, tools: Set<String> = []) {
        self.shop = shop
        self.tools = tools
        place = shop.folder.url
    }

    /// Follows a page to its end.
    mutating func follow(_ page: String) throws {
        for block in PageBlock.blocks(of: page) { try follow(block) }
    }

    private mutating func follow(_ block: PageBlock) throws {
        switch block {
        case .commands(let commands, let tool):
            printed = nil
            if tool.map(tools.contains) != false { try run(commands) }
        case .output(let lines):
            // The output of commands that were not run is not checked.
            guard let printed else { return }
            let missing = Self.firstMissing(lines, in: printed)
            try #require(missing == nil, "\(missing ?? "") is not in:\n\(printed)")
        case .file(let name, let text): try save(text, name)
        case .replacement(let name, let text):
            var lines = try lines(of: name)
            let new = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
                String.init)
            let first = try #require(lines.firstIndex(of: new.first ?? ""), "\(name): \(new.first ?? "")")
            let last = try #require(
                lines[first...].firstIndex(of: new.last ?? ""), "\(name): \(new.last ?? "")")
            lines.replaceSubrange(first...last, with: new)
            try save(lines.joined(separator: "\n"), name)
        case .insertion(let name, let text, let word):
            var lines = try lines(of: name)
            let head = try Regex(#"^\w.*\b\#(word)(\(| = \{)"#)
            let line = try #require(lines.firstIndex { $0.contains(head) }, "\(name): \(word)")
            lines.insert(String(text.dropLast()), at: line)
            try save(lines.joined(separator: "\n"), name)
        }
    }

    private mutating func run(_ commands: String) throws {
        let end = shop.folder.path("where")
        let script = "set -e\ncd '\(place.path)'\n\(commands)pwd >'\(end)'\n"
        let result = try shop.run("sh", ["-c", script])
        printed = result.output
        try #require(result.status == 0, "\(commands)\n\(result.output)\n\(result.errors)")
        #expect(!result.errors.contains(": warning:"), "\(result.errors)")
        let path = try String(contentsOfFile: end, encoding: .utf8)
        place = URL(fileURLWithPath: String(path.dropLast()))
    }

    private func lines(of name: String) throws -> [String] {
        try String(contentsOf: place.appendingPathComponent(name), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private func save(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: place.appendingPathComponent(name))
    }

    /// The first line that does not follow the lines before it; nil if all are present.
    static func firstMissing(_ lines: [String], in output: String) -> String? {
        var rest = output.split(separator: "\n").map { words($0) }[...]
        for line in lines {
            guard let found = rest.firstIndex(where: { fits(words(line[...]), $0) }) else { return line }
            rest = rest[(found + 1)...]
        }
        return nil
    }

    private static func words(_ line: Substring) -> String {
        line.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }

    private static func fits(_ pattern: String, _ line: String) -> Bool {
        var rest = line[...]
        let parts = pattern.components(separatedBy: "…").map { $0.trimmingCharacters(in: .whitespaces) }
        for (number, part) in parts.enumerated() where !part.isEmpty {
            guard let range = rest.range(of: part) else { return false }
            if number == 0, range.lowerBound != line.startIndex { return false }
            rest = rest[range.upperBound...]
        }
        return pattern.hasSuffix("…") || rest.isEmpty
    }
}
