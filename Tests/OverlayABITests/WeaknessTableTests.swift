import Foundation
import Testing

@Suite("Every weakness of the original driver has a test with its number")
struct WeaknessTableTests {
    /// The tests with the number of a weakness in the comment above them, as `Target: name`.
    private static func tests() throws -> [Int: Set<String>] {
        let folder = SourceTree.root.appendingPathComponent("Tests").resolvingSymlinksInPath()
        guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            return [:]
        }
        var found: [Int: Set<String>] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            let target = file.pathComponents.dropFirst(folder.pathComponents.count).first ?? ""
            for match in try SourceTree.text(file).matches(
                of: #/Weakness (\d+) in docs\/weaknesses\.md\.\n\s*@Test\(\s*"([^"]*)"/#)
            {
                guard let number = Int(match.1) else { continue }
                found[number, default: []].insert("\(target): \(match.2)")
            }
        }
        return found
    }

    @Test("The table in docs/weaknesses.md names the tests of all thirty weaknesses")
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
            for name in named { #expect(tests[number]?.contains(name) == true, "\(number): \(name)") }
            for name in tests[number] ?? [] {
                #expect(named.contains(name), "\(number): \(name) is not in the table")
            }
        }
        #expect(numbers == Array(1...30))
        #expect(tests.keys.sorted() == numbers)
    }
}
