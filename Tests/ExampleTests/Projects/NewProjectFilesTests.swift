import Foundation
import TestSupport
import Testing

@Suite("'overlayhost new' writes exactly the files that it lists")
struct NewProjectFilesTests {
    @Test("Every file of the templates becomes one of the project", arguments: Project.all)
    func everyFile(_ project: Project) throws {
        let shop = try Workshop()
        let made = try shop.document("new", "shelf", "--language", project.language, "--output", "made")
        let files = try #require(made["files"] as? [String])
        #expect(try files == tree(shop.folder.url.appendingPathComponent("made")))
        let template = sourceFolder.appendingPathComponent(
            "Examples/" + (project.language == "c++" ? "cpp" : project.language))
        let expected = try tree(template).map {
            $0.replacingOccurrences(of: "satchel", with: "shelf").replacingOccurrences(
                of: "Satchel", with: "Shelf")
        }
        #expect(Set(expected).subtracting(files).isEmpty)
        let copied = Set(files).subtracting(expected)
        #expect(copied.allSatisfy { $0.hasPrefix("include/overlay_") || $0.hasPrefix("bridge/") })
    }

    @Test("A new project contains no names of the templates", arguments: Project.all)
    func names(_ project: Project) throws {
        let shop = try Workshop()
        let made = try shop.document(
            "new", "Night_Table-2", "--language", project.language, "--bundle-id", "com.Satchel.x-1")
        #expect(made["name"] as? String == "night_table_2")
        for file in try #require(made["files"] as? [String]) where !file.hasPrefix("include/") {
            let text = try String(
                contentsOf: shop.folder.url.appendingPathComponent("Night_Table-2/" + file), encoding: .utf8)
            #expect(!text.contains("satchel"), "\(file)")
            #expect(
                !text.replacingOccurrences(of: "com.Satchel.x-1", with: "").contains("Satchel"), "\(file)")
            #expect(!file.lowercased().contains("satchel"))
        }
    }

    @Test("An existing folder is never written into")
    func neverOverwrites() throws {
        let shop = try Workshop()
        try Data("mine".utf8).write(to: shop.folder.url.appendingPathComponent("taken"))
        let result = try shop.overlayhost("new", "taken", "--language", "c")
        #expect(result.status == 73)
        #expect(result.errors.contains("a file or folder with this name already exists"))
        #expect(try Data(contentsOf: shop.folder.url.appendingPathComponent("taken")) == Data("mine".utf8))
    }

    @Test(
        "An invalid name is refused, and leaves nothing behind",
        arguments: ["", "1book", "a/b", "../x", "bücher", "-", "a b", String(repeating: "x", count: 41)])
    func badNames(_ name: String) throws {
        let shop = try Workshop()
        let result = try shop.overlayhost("new", "--language", "c", "--", name)
        #expect(result.status == 64, "\(result.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).isEmpty)
    }

    @Test("Names that are keywords of a language build as well", arguments: ["int", "Self", "swift"])
    func keywords(_ name: String) throws {
        let shop = try Workshop()
        _ = try shop.document("new", name, "--language", "c++")
        let made = try shop.run("make", [], in: name)
        #expect(made.status == 0, "\(made.errors)")
    }

    @Test("An unknown language and a wrong bundle id are refused with the possible values")
    func badWords() throws {
        let shop = try Workshop()
        let language = try shop.overlayhost("new", "x", "--language", "cobol")
        #expect(language.status == 64)
        #expect(language.errors.contains("c, c++, python, rust, swift"))
        #expect(try shop.overlayhost("new", "x", "--language", "c", "--bundle-id", "a\"b.c").status == 64)
        #expect(try shop.overlayhost("new", "x", "--language", "c", "--bundle-id", "nodots").status == 64)
        #expect(!shop.has("x"))
    }

    /// The files below a folder, without products of a build.
    private func tree(_ folder: URL) throws -> [String] {
        let built: Set = ["build", ".build", "target", "Cargo.lock", "Package.resolved"]
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
            let parts = path.split(separator: "/").map(String.init)
            let isFolder = try folder.appendingPathComponent(path).resourceValues(forKeys: [.isDirectoryKey])
                .isDirectory
            return isFolder == false && !built.contains(parts[0])
                && (parts[0] != "device" || path == "device/device.json")
        }.sorted()
    }
}
