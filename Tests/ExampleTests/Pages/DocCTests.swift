import Foundation
import TestSupport
import Testing

@Suite("The Swift examples of the reference compile")
struct DocCTests {
    /// Each piece of Swift on the pages of `docs/docc`, with the page's name.
    static let snippets: [Snippet] = pages.flatMap { page -> [Snippet] in
        let text = text(of: page)
        return text.components(separatedBy: "```swift\n").dropFirst().map {
            Snippet(page: page.lastPathComponent, code: $0.components(separatedBy: "```")[0])
        }
    }

    /// The modules that programs import, with the modules that each exports.
    static let modules = [
        "Formats": ["Formats"], "Fetching": ["Fetching", "Archives", "JSON"],
        "OverlayHost": [
            "OverlayHost", "HostContent", "HostContract", "HostErrors", "Libraries", "OverlayLoading",
            "OverlayServices", "OverlayWorkers", "Preferences", "BookModel", "Diagnostics",
        ],
    ]

    /// The Swift in the doc comments of these modules, with the name of the documented declaration. A comment shows
    /// statements, which are compiled as the body of a function.
    static let comments: [Snippet] = modules.sorted { $0.key < $1.key }.flatMap { module, exported in
        files(of: exported).flatMap { text -> [Snippet] in
            var found: [Snippet] = []
            var code: [String]?
            var isInside = false
            for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
                if line == "/// ```swift" {
                    (code, isInside) = ([], true)
                } else if line == "/// ```" {
                    isInside = false
                } else if isInside {
                    code?.append(String(line.dropFirst(4)))
                } else if line.hasPrefix("@"), !line.contains(" ") {
                    // An attribute stands between the comment and its declaration.
                    continue
                } else if !line.hasPrefix("///"), let lines = code {
                    let body = lines.joined(separator: "\n")
                    found.append(
                        Snippet(
                            page: name(of: line),
                            code:
                                "import \(module)\nimport Foundation\n\nfunc example() throws {\n\(body)\n}\n"
                        ))
                    code = nil
                }
            }
            return found
        }
    }

    /// The texts of the files of some modules.
    private static func files(of modules: [String]) -> [String] {
        modules.flatMap { module -> [String] in
            let folder = sourceFolder.appendingPathComponent("Sources/\(module)")
            return (FileManager.default.subpaths(atPath: folder.path) ?? []).filter { $0.hasSuffix(".swift") }
                .sorted().map { text(of: folder.appendingPathComponent($0)) }
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

    /// The name that a declaration defines.
    private static func name(of declaration: String) -> String {
        let words = declaration.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        let place = words.firstIndex { ["class", "enum", "protocol", "struct", "typealias"].contains($0) }
        return place.flatMap { words.dropFirst($0 + 1).first } ?? declaration
    }

    /// Public types whose doc comment needs no example, by the reason.
    static let exceptions = [
        "shown in full by the example of Failure": ["FailureCode"],
        "there is only one code, so that no program distinguishes it": ["JSONSyntaxErrorCode"],
    ]

    @Test("Every public type of formats, resources and the host has an example or a reason for none")
    func publicTypes() {
        let shown = Set(Self.comments.map(\.page))
        let excepted = Self.exceptions.values.flatMap { $0 }
        let declaration = #/(?m)^public (?:final |indirect )?(?:class|enum|protocol|struct|typealias) (\w+)/#
        let types = Set(
            Self.files(of: Self.modules.values.flatMap { $0 }).flatMap { text in
                text.matches(of: declaration).map { String($0.1) }
            })
        #expect(types.subtracting(shown).subtracting(excepted) == [])
        // A type that has an example, or does not exist any more, needs no reason.
        #expect(Set(excepted).count == excepted.count)
        #expect(Set(excepted).subtracting(types) == [] && shown.intersection(excepted) == [])
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
        arguments: snippets + comments)
    func compiles(_ snippet: Snippet) throws {
        let shop = try Workshop()
        // An overlay is a library, and everything else is a program.
        let isLibrary = snippet.code.contains("ovl_entry_v1")
        let file = shop.folder.url.appendingPathComponent(isLibrary ? "Overlay.swift" : "main.swift")
        try Data(snippet.code.utf8).write(to: file)
        let result = try shop.run(
            "swiftc",
            ["-typecheck", "-warnings-as-errors", "-swift-version", "6", file.path]
                + (isLibrary ? ["-parse-as-library"] : [])
                + Self.moduleFlags())
        #expect(result.status == 0, "\(result.errors)")
    }

    /// The folder of the modules that were built together with the tests.
    private static func moduleFlags() throws -> [String] {
        let products = try buildProductsFolder().path
        let sources = sourceFolder.appendingPathComponent("Sources")
        let systems = try FileManager.default.contentsOfDirectory(atPath: sources.path)
            .filter { FileManager.default.fileExists(atPath: "\(sources.path)/\($0)/module.modulemap") }
        let maps = [
            "\(products)/CSystemShims.build/module.modulemap", "\(products)/CCurl.build/module.modulemap",
            "\(sources.path)/OverlayABI/include/module.modulemap",
        ]
        return [
            "-I", "\(products)/Modules", "-I", "\(sources.path)/CSystemShims/include", "-Xcc",
            "-I/usr/include/libxml2",
        ] + systems.flatMap { ["-I", "\(sources.path)/\($0)"] }
            + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }
}
