import Foundation
import Testing

@Suite("An overlay of this project uses only the contract, like a foreign one")
struct PluginImportTests {
    /// The modules that any overlay may use: the kit, modules that overlays share, and system libraries.
    private static let allowed: Set<String> = [
        "OverlayKit", "UploadPlanning", "BookFolders", "Claims", "CBOR", "DeviceDatabases", "MarvinCommands",
        "PropertyLists", "Archives", "Markup", "BibTeX", "BibTeXMerging", "BibliographySync", "JSON",
        "Platform", "Diagnostics",
        "Glibc", "Synchronization", "FoundationEssentials", "CSQLite", "CLibxml2", "CZlib",
    ]

    private static var plugins: URL { SourceTree.root.appendingPathComponent("Plugins") }

    /// The Swift files of a plugin's folder.
    private func sources(_ folder: URL) throws -> [URL] {
        let found = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return found.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    }

    /// The modules that a file imports, with any text before and after the word.
    private func imports(_ text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split { $0 == " " || $0 == "\t" }
            guard let place = words.firstIndex(of: "import"),
                words[..<place].allSatisfy({ $0.hasPrefix("@") || $0.allSatisfy(\.isLetter) }),
                var name = words[(place + 1)...].first
            else { return nil }
            // `import struct Module.Name` names a declaration.
            if ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"].contains(name) {
                name = words[(place + 2)...].first ?? name
            }
            return String(name.prefix { $0 != "." && $0 != ";" })
        }
    }

    @Test("Core and Entry of each overlay import nothing of the host")
    func modules() throws {
        let plugins = try FileManager.default.contentsOfDirectory(atPath: Self.plugins.path).sorted()
        #expect(plugins.contains("Marvin"))
        for plugin in plugins {
            let folder = Self.plugins.appendingPathComponent(plugin)
            for part in ["Core", "Entry"] {
                let files = try sources(folder.appendingPathComponent(part))
                #expect(!files.isEmpty, "\(plugin)/\(part)")
                // The entry uses the contract's symbol and the core that it exports.
                let own: Set<String> = part == "Entry" ? ["OverlayABI", plugin] : []
                for file in files {
                    let foreign = Set(imports(try SourceTree.text(file))).subtracting(Self.allowed.union(own))
                    #expect(
                        foreign.isEmpty, "\(plugin)/\(part)/\(file.lastPathComponent): \(foreign.sorted())")
                }
            }
        }
    }

    @Test("Every way of writing an import is found")
    func forms() {
        let text = """
            import A
            @testable import B
            public import C
            @_spi(X) package import D
            import struct E.F
            // What is important is not an import of anything: import nothing
            let x = 1 // import Y
            """
        #expect(imports(text) == ["A", "B", "C", "D", "E"])
    }
}
