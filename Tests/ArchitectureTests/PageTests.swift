import Foundation
import Testing

@Suite("The pages name only files and folders that exist")
struct PageTests {
    @Test("Every page of docs can be reached by links from README")
    func reachable() throws {
        var reached: Set<String> = []
        var open = ["README.md"]
        while let page = open.popLast() {
            guard reached.insert(page).inserted, page.hasSuffix(".md") else { continue }
            let folder = URL(fileURLWithPath: "/" + page).deletingLastPathComponent()
            let text = try SourceTree.text(page)
            for match in text.matches(of: #/\]\(([^)\s#]+)/#) where !match.1.contains("://") {
                let target = String(
                    folder.appendingPathComponent(String(match.1)).standardized.path.dropFirst())
                if target.hasPrefix("docs/"), target.hasSuffix(".md") {
                    open.append(target)
                }
            }
        }
        let docs = SourceTree.root.appendingPathComponent("docs")
        let pages = try FileManager.default.subpathsOfDirectory(atPath: docs.path)
            .filter { $0.hasSuffix(".md") && !$0.hasPrefix("decisions/") && !$0.hasPrefix("docc/") }
            .map { "docs/\($0)" }
        #expect(pages.filter { !reached.contains($0) } == [])
    }

    @Test("Every path in backquotes on the pages and in every README exists")
    func folders() throws {
        let pages = ["docs/architecture.md", "docs/status.md"] + (try Self.readmes())
        for page in pages {
            let text = try SourceTree.text(page)
            let folder = SourceTree.root.appendingPathComponent(page).deletingLastPathComponent()
            for match in text.matches(
                of:
                    #/`((?:Sources|Plugins|Clients|Tests|Examples|Support|Benchmarks|Fuzzing|docs)/[\w./-]*)`/#
            ) {
                let exists = [SourceTree.root, folder].contains {
                    FileManager.default.fileExists(
                        atPath: $0.appendingPathComponent(String(match.1)).path)
                }
                #expect(exists, "\(page): \(match.1)")
            }
        }
    }

    @Test("The lists of modules and files in every README name all files of their folder and no others")
    func lists() throws {
        var seen = 0
        for page in try Self.readmes() {
            let names = Self.listedNames(try SourceTree.text(page))
            guard !names.isEmpty else { continue }
            seen += 1
            let folder = SourceTree.root.appendingPathComponent(page).deletingLastPathComponent()
            let sources = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                .filter { $0.hasSuffix(".py") || $0.hasSuffix(".swift") }
                .map { URL(fileURLWithPath: "/" + $0) }
            func isNamed(_ file: URL) -> Bool {
                names.contains(file.lastPathComponent)
                    || names.contains(file.deletingPathExtension().lastPathComponent)
            }
            let found = sources.filter(isNamed)
            let stems = Set(
                found.flatMap { [$0.lastPathComponent, $0.deletingPathExtension().lastPathComponent] })
            #expect(names.subtracting(stems).sorted() == [], "\(page) names files that do not exist")
            let folders = Dictionary(grouping: found) { $0.deletingLastPathComponent() }
            let home = folders.max { ($0.value.count, $0.key.path) < ($1.value.count, $1.key.path) }?.key
            let missing = sources.filter { $0.deletingLastPathComponent() == home && !isNamed($0) }
            #expect(missing.map(\.lastPathComponent).sorted() == [], "\(page) does not name these files")
        }
        #expect(seen >= 2)
    }

    /// The names in the first column of the tables of modules and files on a page.
    private static func listedNames(_ text: String) -> Set<String> {
        var names: Set<String> = []
        var isInList = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("|") else {
                isInList = false
                continue
            }
            let cell = line.dropFirst().prefix { $0 != "|" }
            if ["Module", "File"].contains(cell.trimmingCharacters(in: .whitespaces)) { isInList = true }
            guard isInList else { continue }
            for match in cell.matches(of: #/`([^`]+)`/#) { names.insert(String(match.1)) }
        }
        return names
    }

    /// The paths of all README files below the root of the repository.
    private static func readmes() throws -> [String] {
        let folders = [
            "Benchmarks", "Clients", "Examples", "Fuzzing", "Plugins", "Sources", "Support", "Tests", "docs",
        ]
        return try ["README.md"]
            + folders.flatMap { folder in
                try FileManager.default.subpathsOfDirectory(
                    atPath: SourceTree.root.appendingPathComponent(folder).path
                )
                .filter {
                    ($0 == "README.md" || $0.hasSuffix("/README.md")) && !$0.contains(".build/")
                        && !$0.contains("target/")
                }
                .map { "\(folder)/\($0)" }
            }
    }

    @Test("Every example and every overlay of the project is in a list")
    func examples() throws {
        let examples = try FileManager.default.contentsOfDirectory(
            atPath: SourceTree.root.appendingPathComponent("Examples").path
        ).filter { !$0.hasPrefix(".") && !$0.contains(".md") }
        let list = try SourceTree.text("docs/overlays/README.md")
        #expect(examples.filter { !list.contains("Examples/\($0)") } == [])
        let overlays = try FileManager.default.contentsOfDirectory(
            atPath: SourceTree.root.appendingPathComponent("Plugins").path
        ).filter { !$0.hasPrefix(".") }
        let floors = try Floors().modules
        #expect(overlays.filter { !floors.contains($0) } == [])
    }
}
