import Foundation
import Testing

@Suite("Every weakness of the original driver has a test of its number")
struct WeaknessTableTests {
    /// The tests whose names begin with a number of a weakness, as `Target: name` without it.
    private static func tests() throws -> [Int: Set<String>] {
        let folder = SourceTree.root.appendingPathComponent("Tests").resolvingSymlinksInPath()
        guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            return [:]
        }
        var found: [Int: Set<String>] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            let target = file.pathComponents.dropFirst(folder.pathComponents.count).first ?? ""
            for match in try SourceTree.text(file).matches(of: #/@Test\(\s*"Weakness (\d+)[^":]*: ([^"]*)"/#)
            {
                guard let number = Int(match.1) else { continue }
                found[number, default: []].insert("\(target): \(match.2)")
            }
        }
        return found
    }

    @Test("All thirty have one, and the table in docs/weaknesses.md names them all")
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
