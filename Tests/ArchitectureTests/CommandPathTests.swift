import Foundation
import Testing

@Suite("The path of a command on the page of the architecture")
struct CommandPathTests {
    private let tree: SourceTree
    /// The rows of both tables: modules or text, and functions as `Type.function`.
    private let rows: [(place: String, functions: [String])]
    /// The rows of the first table, which is the path in one process.
    private let direct: [(place: String, functions: [String])]

    init() throws {
        tree = try SourceTree()
        let page = try SourceTree.text("docs/architecture.md")
        let section = try #require(
            page.components(separatedBy: "\n## ").first { $0.hasPrefix("The path of a command") })
        let tables = section.components(separatedBy: "\n\n").filter { $0.hasPrefix("|") }
            .map { table in
                table.split(separator: "\n").dropFirst(2).map { line in
                    let cells = line.split(separator: "|").map { String($0) }
                    let functions = cells[1].matches(of: #/`(\w+\.\w+)`/#).map { String($0.output.1) }
                    return (place: cells[0], functions: functions.filter { $0 != "main.swift" })
                }
            }
        rows = tables.flatMap { $0 }
        direct = tables.first ?? []
    }

    @Test("Every function of the path exists in its module")
    func exists() throws {
        #expect(rows.flatMap(\.functions).count > 30)
        for row in rows {
            let named = row.place.matches(of: #/`(\w+)`/#).map { String($0.output.1) }
            let modules = named.isEmpty ? ["OverlayWorkers", "WorkerRPC", "OverlayCalls"] : named
            let files = modules.flatMap { tree.modules[$0] ?? [] }.map(\.text)
            #expect(!files.isEmpty, "\(row.place)")
            for function in row.functions {
                let parts = function.split(separator: ".")
                let type = try Regex("(class|struct|enum|protocol|extension) \(parts[0])\\b")
                let name = try Regex("func \(parts[1])\\b")
                #expect(files.contains { $0.contains(type) && $0.contains(name) }, "\(function)")
            }
        }
    }

    @Test(
        "The page names at most 32 functions between the program and the connection to the device")
    func length() {
        let functions = direct.flatMap(\.functions)
        #expect(Set(functions).count == functions.count)
        #expect(functions.count <= 32)
    }
}
