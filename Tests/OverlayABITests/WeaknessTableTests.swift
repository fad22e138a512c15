import Foundation
import Testing

@Suite("Every weakness of the original driver has a test of its number")
struct WeaknessTableTests {
    /// The names of the tests that begin with a number of a weakness, without it.
    private static func tests() throws -> [Int: [String]] {
        let folder = SourceTree.root.appendingPathComponent("Tests").resolvingSymlinksInPath()
        guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            return [:]
        }
        var found: [Int: [String]] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            for match in try SourceTree.text(file).matches(of: #/@Test\(\s*"Weakness (\d+)[^":]*: ([^"]*)"/#)
            {
                guard let number = Int(match.1) else { continue }
                found[number, default: []].append(String(match.2))
            }
        }
        return found
    }

    @Test("All thirty have one, and the table in docs/weaknesses.md names those that there are")
    func table() throws {
        let tests = try Self.tests()
        let manual = try SourceTree.text(SourceTree.root.appendingPathComponent("docs/weaknesses.md"))
        var numbers: [Int] = []
        for row in manual.split(separator: "\n") {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 3, let number = Int(cells[0]) else { continue }
            numbers.append(number)
            let named = cells[2...].joined(separator: "|").components(separatedBy: "<br>")
            #expect(!named.isEmpty)
            for name in named {
                let sentence = name.split(separator: ":", maxSplits: 1).last.map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
                #expect(tests[number]?.contains(sentence ?? "") == true, "\(number): \(name)")
            }
        }
        #expect(numbers == Array(1...30))
        #expect(tests.keys.sorted() == numbers)
    }
}
