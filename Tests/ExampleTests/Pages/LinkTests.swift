import Foundation
import Testing

@Suite("The links of the pages lead to existing targets")
struct LinkTests {
    private static let pages = ["README.md", "docs", "Examples"]

    @Test("Every link to a file of this repository leads to an existing file and heading")
    func links() throws {
        var seen = 0
        for page in try markdown() {
            let text = try String(contentsOf: page, encoding: .utf8)
            for match in text.matches(of: #/\]\(([^)\s]+)\)/#) {
                let parts = match.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                guard !match.1.contains("://") else { continue }
                seen += 1
                let target =
                    parts[0].isEmpty
                    ? page
                    : page.deletingLastPathComponent().appendingPathComponent(String(parts[0])).standardized
                #expect(
                    FileManager.default.fileExists(atPath: target.path),
                    "\(page.lastPathComponent): \(match.1)")
                if parts.count == 2 {
                    #expect(
                        try anchors(target).contains(String(parts[1])),
                        "\(page.lastPathComponent): \(match.1)")
                }
            }
        }
        #expect(seen > 60)
    }

    private func markdown() throws -> [URL] {
        try Self.pages.flatMap { name -> [URL] in
            let place = sourceFolder.appendingPathComponent(name)
            guard place.pathExtension.isEmpty else { return [place] }
            return try FileManager.default.subpathsOfDirectory(atPath: place.path)
                .filter { $0.hasSuffix(".md") && !$0.contains(".build/") && !$0.contains("target/") }
                .map { place.appendingPathComponent($0) }
        }
    }

    /// The anchors of a page's headings, as GitHub makes them.
    private func anchors(_ page: URL) throws -> Set<String> {
        let text = try String(contentsOf: page, encoding: .utf8)
        return Set(
            text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
                String(
                    line.drop { $0 == "#" || $0 == " " }.lowercased().compactMap { character -> Character? in
                        if character == " " { return "-" }
                        return character.isLetter || character.isNumber || "-_".contains(character)
                            ? character : nil
                    })
            })
    }
}
