import Foundation
import TestSupport
import Testing

@Suite("The Swift examples on the pages of the reference compile")
struct DocCTests {
    /// Each piece of Swift on the pages of `docs/docc`, with the page's name.
    static let snippets: [Snippet] = pages.flatMap { page -> [Snippet] in
        let text = text(of: page)
        return text.components(separatedBy: "```swift\n").dropFirst().map {
            Snippet(page: page.lastPathComponent, code: $0.components(separatedBy: "```")[0])
        }
    }

    /// The text of a file of the tree. An unreadable file fails the run.
    private static func text(of file: URL) -> String {
        do {
            return try String(contentsOf: file, encoding: .utf8)
        } catch {
            Issue.record(error, "\(file.path)")
            return ""
        }
    }

    private static let pages: [URL] = {
        let folder = sourceFolder.appendingPathComponent("docs/docc")
        return (FileManager.default.subpaths(atPath: folder.path) ?? []).filter { $0.hasSuffix(".md") }
            .sorted()
            .map { folder.appendingPathComponent($0) }
    }()

    struct Snippet: CustomTestStringConvertible, Sendable {
        var page: String
        var code: String
        var testDescription: String { page }
    }

    @Test("The pages that need examples have some")
    func pages() {
        #expect(
            Set(Self.snippets.map(\.page)).isSuperset(of: [
                "BookFolders.md", "Claims.md", "DeviceDatabases.md", "OverlayHost.md", "OverlayKit.md",
                "SimulatedDevice.md", "UploadPlanning.md",
            ]))
    }

    @Test(
        "Each example compiles as it is, without a warning",
        .enabled(if: programIsInstalled("swiftc"), "no swiftc: the pages are not tested"),
        arguments: snippets)
    func compiles(_ snippet: Snippet) throws {
        let shop = try Workshop()
        // An overlay is a library, and everything else is a program.
        let isLibrary = snippet.code.contains("ovl_entry_v1")
        let file = isLibrary ? "Overlay.swift" : "main.swift"
        try Data(snippet.code.utf8).write(to: shop.folder.url.appendingPathComponent(file))
        let result = try shop.compile([file], isLibrary ? ["-parse-as-library"] : [])
        #expect(result.status == 0, "\(result.errors)")
    }
}
