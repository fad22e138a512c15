import Foundation
import TestSupport
import Testing

@Suite("The examples in the doc comments of the public modules compile")
struct DocCommentTests {
    /// A library that programs or overlays import.
    struct Library: CustomTestStringConvertible, Sendable {
        var name: String
        /// The modules with its public types.
        var modules: [String]
        /// The modules that an example imports.
        var imports: [String]
        /// The function of which an example of a few statements is the body, from its parameters to its errors.
        var function = "() throws"
        /// Whether an example may create a value without using it.
        var allowsUnused = false
        var testDescription: String { name }
    }

    static let libraries = [
        Library(name: "Formats", modules: ["Formats"], imports: ["Foundation", "Formats"]),
        Library(
            name: "Fetching", modules: ["Fetching", "Archives", "JSON"], imports: ["Foundation", "Fetching"]),
        Library(
            name: "OverlayHost",
            modules: [
                "OverlayHost", "HostContent", "HostContract", "HostErrors", "Libraries", "OverlayLoading",
                "OverlayServices", "OverlayWorkers", "Preferences", "BookModel", "Diagnostics",
            ], imports: ["Foundation", "OverlayHost"]),
        Library(
            name: "OverlayKit", modules: ["OverlayKit"], imports: ["OverlayKit"],
            function: "(_ host: HostServices) throws(OverlayError)", allowsUnused: true),
        Library(
            name: "OverlayBridge", modules: ["OverlayBridge"],
            imports: ["OverlayABI", "OverlayBridge", "OverlayKit"],
            function: "(_ host: HostServices) throws(OverlayError)", allowsUnused: true),
    ]

    /// The Swift in a doc comment, and the name of the documented declaration.
    struct Example {
        var name: String
        var lines: [String]

        /// Whether it declares types or extends them, instead of showing statements.
        private var hasDeclarations: Bool {
            lines.contains { $0.hasPrefix("extension ") || $0.hasPrefix("final class ") }
        }

        /// A file with the example.
        func file(of library: Library) -> String {
            let imports = library.imports.map { "import \($0)\n" }.joined() + "\n"
            let text = lines.joined(separator: "\n")
            guard !hasDeclarations else { return imports + text + "\n" }
            let values = lines.compactMap { $0.firstMatch(of: /^(?:let|var) (\w+)/)?.output.1 }
            let uses = library.allowsUnused ? values.map { "_ = \($0)\n" }.joined() : ""
            return imports + "private func example\(library.function) {\n\(text)\n\(uses)}\n"
        }
    }

    /// The examples in a text.
    private static func examples(in text: String) -> [Example] {
        var examples: [Example] = []
        var pending: [[String]] = []
        var code: [String]?
        for line in text.split(separator: "\n") {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed == "/// ```swift" {
                code = []
            } else if trimmed == "/// ```", let lines = code {
                pending.append(lines)
                code = nil
            } else if code != nil {
                code?.append(String(trimmed.dropFirst(4)))
            } else if !trimmed.hasPrefix("///"), !trimmed.hasPrefix("@") || trimmed.contains(" ") {
                // The declaration follows its comment and its attributes. A nested one does not count as its type.
                let name = line.hasPrefix(" ") ? "" : name(of: trimmed)
                examples += pending.map { Example(name: name, lines: $0) }
                pending = []
            }
        }
        return examples
    }

    /// The texts of a library's files.
    private static func files(of library: Library) throws -> [String] {
        try library.modules.flatMap { module -> [String] in
            let folder = sourceFolder.appendingPathComponent("Sources/\(module)")
            return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                .filter { $0.hasSuffix(".swift") }.sorted()
                .map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
        }
    }

    /// The name that a declaration defines.
    private static func name(of declaration: String) -> String {
        let words = declaration.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        let place = words.firstIndex { ["class", "enum", "protocol", "struct", "typealias"].contains($0) }
        return place.flatMap { words.dropFirst($0 + 1).first } ?? declaration
    }

    /// Public types whose doc comment needs no example, by the reason.
    private static let exceptions = [
        "shown in full by the example of Failure": ["FailureCode"],
        "there is only one code, so that no program distinguishes it": ["JSONSyntaxErrorCode"],
        "the line that uses it is at `entry(for:)`": ["OverlayExport"],
    ]

    @Test("Every example is found")
    func found() throws {
        for text in try Self.libraries.flatMap({ try Self.files(of: $0) }) {
            let marks = text.split(separator: "\n").count {
                $0.trimmingCharacters(in: .whitespaces) == "/// ```swift"
            }
            #expect(Self.examples(in: text).count == marks, "\(text.prefix(200))")
        }
    }

    @Test("Every public type has an example or a reason for none")
    func publicTypes() throws {
        let declaration = #/(?m)^public (?:final |indirect )?(?:class|enum|protocol|struct|typealias) (\w+)/#
        let texts = try Self.libraries.flatMap { try Self.files(of: $0) }
        let shown = Set(texts.flatMap { Self.examples(in: $0) }.map(\.name))
        let types = Set(texts.flatMap { $0.matches(of: declaration).map { String($0.1) } })
        let excepted = Self.exceptions.values.flatMap { $0 }
        #expect(types.subtracting(shown).subtracting(excepted) == [])
        // A type that has an example, or does not exist any more, needs no reason.
        #expect(Set(excepted).count == excepted.count)
        #expect(Set(excepted).subtracting(types) == [] && shown.intersection(excepted) == [])
    }

    @Test(
        "Each example compiles without a warning",
        .enabled(if: programIsInstalled("swiftc"), "no swiftc: the examples are not tested"),
        arguments: libraries)
    func compiles(_ library: Library) throws {
        let shop = try Workshop()
        let examples = try Self.files(of: library).flatMap(Self.examples)
        #expect(!examples.isEmpty)
        // All files are checked by one compiler, which then reads the modules only once.
        var files: [String] = []
        for (number, example) in examples.enumerated() {
            files.append("\(number)-\(example.name.filter(\.isLetter)).swift")
            let file = shop.folder.url.appendingPathComponent(files[number])
            try Data(example.file(of: library).utf8).write(to: file)
        }
        let result = try shop.compile(files, ["-parse-as-library", "-whole-module-optimization"])
        #expect(result.status == 0, "\(result.errors)")
    }
}
