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

    @Test("Every folder in backquotes on the pages exists")
    func folders() throws {
        for page in ["README.md", "docs/architecture.md", "docs/status.md", "docs/overlays/README.md"] {
            let text = try SourceTree.text(page)
            for match in text.matches(
                of: #/`((?:Sources|Plugins|Tests|Examples|Support|Benchmarks|Fuzzing|docs)/[\w./-]*)`/#)
            {
                let path = SourceTree.root.appendingPathComponent(String(match.1)).path
                #expect(FileManager.default.fileExists(atPath: path), "\(page): \(match.1)")
            }
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
