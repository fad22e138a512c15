import Foundation
import Testing

@Suite("The table in docs/dependencies.md names each dependency and the modules that use it")
struct DependencyTableTests {
    /// The beginning of a row's first cell, and the module with which source files import the library.
    static let libraries = [
        ("libimobiledevice", "CLibimobiledevice"), ("SQLite", "CSQLite"), ("libxml2", "CLibxml2"),
        ("OpenSSL", "COpenSSL"), ("libcurl", "CCurl"), ("libzip", "CLibzip"), ("libffi", "CLibffi"),
        ("zlib", "CZlib"), ("swift-argument-parser", "ArgumentParser"), ("swift-log", "Logging"),
    ]

    /// The cells of the table's rows.
    private static func rows() throws -> [[String]] {
        try SourceTree.text(SourceTree.root.appendingPathComponent("docs/dependencies.md"))
            .split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2)
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    /// The modules below `Sources` that import this one.
    private static func modules(importing name: String) throws -> Set<String> {
        let folder = SourceTree.root.appendingPathComponent("Sources").resolvingSymlinksInPath()
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let isImporting = try SourceTree.text(file).split(separator: "\n").contains { line in
                let words = line.split(separator: " ")
                return words.contains("import") && words.last == Substring(name)
            }
            if isImporting { found.insert(file.pathComponents[folder.pathComponents.count]) }
        }
        return found
    }

    @Test("A row names exactly the modules whose sources import the library", arguments: libraries)
    func users(_ library: String, _ module: String) throws {
        let row = try #require(try Self.rows().first { $0.first?.hasPrefix(library) == true })
        try #require(row.count == 5)
        let named = row[1].matches(of: #/`(\w+)`/#).map { String($0.1) }
        #expect(Set(named) == (try Self.modules(importing: module)))
    }

    @Test("No system library and no package of the manifest is missing, and the Swift runtime has a row")
    func complete() throws {
        let manifest = try SourceTree.text(SourceTree.root.appendingPathComponent("Package.swift"))
        let systems = manifest.matches(of: #/\n    system\("(\w+)"/#).map { String($0.1) }
        #expect(!systems.isEmpty && Set(systems).isSubset(of: Self.libraries.map(\.1)))
        let packages = manifest.matches(of: #/\.package\(url: "[^"]*\/([^\/"]+)"/#).map { String($0.1) }
        #expect(!packages.isEmpty && Set(packages).isSubset(of: Self.libraries.map(\.0)))
        #expect(try Self.rows().contains { $0[0].hasPrefix("Swift runtime") })
    }
}
