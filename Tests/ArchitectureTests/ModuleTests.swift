import Foundation
import Testing

@Suite("Modules import only modules below them")
struct ModuleTests {
    private let tree: SourceTree
    private let floors: Floors

    init() throws {
        tree = try SourceTree()
        floors = try Floors()
    }

    @Test("Every module belongs to one floor, and every floor uses floors below it")
    func complete() {
        #expect(tree.modules.keys.filter { !floors.modules.contains($0) } == [])
        #expect(Set(floors.modules).count == floors.modules.count)
        for (index, floor) in floors.floors.enumerated() {
            let below = floors.floors.dropFirst(index + 1).map(\.name)
            #expect(floor.uses.filter { !below.contains($0) } == [], "\(floor.name)")
        }
        #expect(floors.way.filter { !floors.modules.contains($0) } == [])
    }

    @Test("A module imports modules before it on its floor and on the floors that its floor uses")
    func imports() {
        let ours = Set(floors.modules)
        for (module, files) in tree.modules.sorted(by: { $0.key < $1.key }) {
            let allowed = floors.allowed(module)
            for file in files {
                let forbidden = FileNames(file.text).imports.filter {
                    $0 != module && ours.contains($0) && !allowed.contains($0)
                }
                #expect(forbidden == [], "\(module)/\(file.path)")
            }
        }
    }

    @Test("Only the module of workers knows how calls travel between processes")
    func wire() throws {
        let users = tree.modules.filter { _, files in
            files.contains { FileNames($0.text).imports.contains("WorkerRPC") }
        }
        #expect(users.keys.sorted() == ["OverlayWorkers"])
    }

    @Test("A module declares in Package.swift what it imports, so that it is built after it")
    func declarations() throws {
        let declared = try PackageManifest(SourceTree.text("Package.swift")).dependencies
        #expect(tree.modules.keys.filter { declared[$0] == nil } == [])
        #expect(undeclared(declared, in: declared) == [])
    }

    @Test("A module declares no module of the package that none of its files imports")
    func unused() throws {
        let declared = try PackageManifest(SourceTree.text("Package.swift")).dependencies
        let unused = tree.modules.sorted { $0.key < $1.key }.flatMap { module, files -> [String] in
            let imported = files.reduce(into: Set()) { $0.formUnion(FileNames($1.text).imports) }
            return (declared[module] ?? []).filter { declared[$0] != nil && !imported.contains($0) }.sorted()
                .map { "\(module): \($0)" }
        }
        #expect(unused == [])
    }

    @Test("The package of the fuzzer declares what its modules import")
    func fuzzer() throws {
        let declared = try PackageManifest(SourceTree.text("Package.swift")).dependencies
        let fuzzed = try PackageManifest(SourceTree.text("Fuzzing/Package.swift")).dependencies
        #expect(fuzzed["Publications"] != nil)
        #expect(undeclared(fuzzed, in: declared) == [])
    }

    @Test(
        "The package of OverlayKit, which make install installs, has the targets of this one with what they use"
    )
    func overlayKit() throws {
        let declared = try PackageManifest(SourceTree.text("Package.swift")).dependencies
        let installed = try PackageManifest(SourceTree.text("Support/OverlayKit/Package.swift")).dependencies
        #expect(installed["BookFolders"] != nil)
        for (target, uses) in installed where declared[target] != nil {
            #expect(uses == declared[target], "\(target)")
        }
        let unknown = installed.values.reduce(Set()) { $0.union($1) }.subtracting(installed.keys)
        #expect(unknown.allSatisfy { declared[$0] == nil }, "\(unknown)")
    }

    /// The modules that files import without a declaration in a manifest, with the path of the file.
    ///
    /// - Parameter package: the targets of this package. Modules in C are among them, but not in the tree.
    private func undeclared(
        _ manifest: [String: Set<String>], in package: [String: Set<String>]
    ) -> [String] {
        tree.modules.sorted { $0.key < $1.key }.flatMap { module, files -> [String] in
            guard let known = manifest[module] else { return [] }
            return files.flatMap { file in
                FileNames(file.text).imports.filter {
                    $0 != module && package[$0] != nil && !known.contains($0)
                }.map { "\(module)/\(file.path): \($0)" }
            }
        }
    }

    @Test("No module of the programs or overlays loads all of Foundation, with its 50 MB of tables")
    func foundation() {
        for (module, files) in tree.modules
        where !["FormatsNetworking", "OverlayKitTesting"].contains(module) {
            for file in files {
                let imports = FileNames(file.text).imports
                #expect(
                    imports.isDisjoint(with: ["Foundation", "FoundationNetworking"]), "\(module)/\(file.path)"
                )
            }
        }
    }

    @Test("The drawing shows the current floors")
    func drawing() throws {
        let drawer = Process()
        drawer.executableURL = SourceTree.root.appendingPathComponent("Support/draw-architecture")
        let output = Pipe()
        drawer.standardOutput = output
        try drawer.run()
        let drawn = output.fileHandleForReading.readDataToEndOfFile()
        drawer.waitUntilExit()
        #expect(drawer.terminationStatus == 0)
        #expect(
            try String(decoding: drawn, as: UTF8.self) == SourceTree.text("docs/architecture.svg"),
            "Run: Support/draw-architecture > docs/architecture.svg")
    }
}
