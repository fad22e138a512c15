import Foundation
import TestSupport
import Testing

@Suite("A new project builds unchanged and serves an app on the simulated device")
struct NewProjectTests {
    @Test(
        "A new project in C builds and runs",
        .enabled(if: programIsInstalled("cc"), "no C compiler: the template is not tested"))
    func c() throws { try make(.c) }

    @Test(
        "A new project in C++ builds and runs",
        .enabled(if: programIsInstalled("c++"), "no C++ compiler: the template is not tested"))
    func cpp() throws { try make(.cpp) }

    @Test(
        "A new project in Python builds and runs",
        .enabled(if: pythonIsInstalled, "no headers of Python: the template is not tested"))
    func python() throws { try make(.python) }

    @Test(
        "A mistake in Python that the build cannot see is reported with its place",
        .enabled(if: pythonIsInstalled, "no headers of Python: the template is not tested"))
    func pythonMistakes() throws {
        let shop = try Workshop()
        let made = try shop.overlayhost("new", "shelf", "--language", "python")
        try #require(made.status == 0, "\(made.errors)")
        let file = shop.folder.url.appendingPathComponent("shelf/shelf.py")
        let good = try String(contentsOf: file, encoding: .utf8)
        func build(_ text: String) throws -> ProgramResult {
            try Data(text.utf8).write(to: file)
            return try shop.run("make", [], in: "shelf")
        }
        let options = ["--plugins", shop.folder.path("shelf/build"), "--simulated=shelf/device"]
        let app = ["--app", "org.example.shelf"]

        #expect(try build(good + "x = = 1\n").errors.contains("SyntaxError"))
        try #require(build(good.replacing("if options.volume", with: "if option.volume")).status == 0)
        let method = try shop.run(shop.program, ["books"] + app + options)
        #expect(method.status == 1, "\(method.errors)")
        #expect(method.errors.contains("NameError: name 'option' is not defined"), "\(method.errors)")
        #expect(method.errors.contains("(shelf.py, line "), "\(method.errors)")
        let number = "TypeError: 'str' object cannot be interpreted as an integer"
        for (failure, message) in [
            (#"FAILED, "no \udcff here""#, "no ? here"),
            (#"FAILED, "none", pth="a""#, "TypeError: ovl_error has no field 'pth' (shelf.py, line "),
            (#""broken", "none""#, "\(number) (shelf.py, line "),
            (#"OK, "none""#, "ValueError: a Failure needs an error status, not OK (shelf.py"),
        ] {
            let raised = good.replacing(
                "        if options.volume",
                with: "        raise Failure(\(failure))\n        if options.volume")
            try #require(build(raised).status == 0)
            let run = try shop.run(shop.program, ["books"] + app + options)
            #expect(run.status == 1, "\(failure): \(run.output)\(run.errors)")
            #expect(run.errors.contains(message), "\(failure): \(run.errors)")
        }
        // A value of a wrong type is reported with its field and with the author's own line.
        for (there, wrong, message) in [
            ("title=row.info.name[:-len(end)]", "title=5", "book.title is a text and cannot be 5"),
            ("size=row.info.size", "size='ten'", "book.size is a number and cannot be 'ten'"),
            ("size=row.info.size", "authors=[1]", "book.authors is a list of texts and cannot be [1]"),
            ("size=row.info.size", "titel='x'", "ovl_book has no field 'titel'"),
            (
                "ROOT_DOCUMENTS, SHELF, LIST_WITH_INFO", "ROOT_DOCUMENTS, 7",
                "list: path is a text and cannot be 7"
            ),
            (
                "def books(self, options, put)", "def books(self, options)",
                "books() takes 2 positional arguments"
            ),
        ] {
            let text = good.replacing(there, with: wrong)
            let line = text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex {
                $0.contains(wrong)
            }
            try #require(build(text).status == 0)
            let run = try shop.run(shop.program, ["books"] + app + options)
            #expect(run.errors.contains("TypeError: "), "\(run.errors)")
            #expect(run.errors.contains(message), "\(run.errors)")
            #expect(run.errors.contains("(shelf.py, line \(try #require(line) + 1))"), "\(run.errors)")
        }
        // An error of the author's own code during a conversion is reported unchanged.
        let generator = "authors=(str(int(text)) for text in ['x'])"
        try #require(build(good.replacing("size=row.info.size", with: generator)).status == 0)
        let raised = try shop.run(shop.program, ["books"] + app + options)
        #expect(
            raised.errors.contains(
                "ValueError: invalid literal for int() with base 10: 'x' (shelf.py, line "),
            "\(raised.errors)")
        try #require(build(good.replacing(#"SHELF = "/Documents""#, with: "SHELF = Documents")).status == 0)
        let loading = try shop.run(shop.program, ["overlays", "--plugins", shop.folder.path("shelf/build")])
        #expect(loading.output.contains("ovl_entry_v1 returned null."), "\(loading.output)")
        #expect(loading.output.contains("NameError: name 'Documents' is not defined"), "\(loading.output)")
    }

    @Test(
        "Every kind of value crosses to Python and back",
        .enabled(if: pythonIsInstalled, "no headers of Python: the template is not tested"))
    func pythonValues() throws {
        let shop = try Workshop()
        let made = try shop.overlayhost("new", "shelf", "--language", "python")
        try #require(made.status == 0, "\(made.errors)")
        try Data(
            contentsOf: sourceFolder.appendingPathComponent("Tests/ExampleTests/Fixtures/services.py")
        ).write(to: shop.folder.url.appendingPathComponent("shelf/shelf.py"))
        let build = try shop.run("make", [], in: "shelf")
        try #require(build.status == 0, "\(build.output)\(build.errors)")
        let books = try shop.document(
            "books", "--plugins", shop.folder.path("shelf/build"), "--simulated=shelf/device", "--app",
            "org.example.shelf")
        #expect(
            texts(books, "books", "title") == [
                "integer: 3", "texts: ['a', 'ö']", #"json: ['["a", "ö"]']"#, "two numbers: [True]",
                "device: org.example.shelf", "many: [(0, 0, 4, None), (1, 7, 0, '/Documents/none')]",
                "keys: ['c3a4']", #"bytes: [b'\x00\x01']"#, "taken: True", "cancel: (0, True, None)",
                "failure: 7 /Documents/none", "own error: ZeroDivisionError", "no such field: TypeError",
                "too many: TypeError", "nowhere: AttributeError", "dataclass ☺",
            ])
        let last = try #require((books["books"] as? [[String: Any]])?.last)
        #expect(last["authors"] as? [String] == ["A", "B"])
        #expect(last["series_index"] as? Double == 1.5)
        #expect(last["locked"] as? Bool == true)
    }

    /// Whether a library with an embedded Python can be built.
    private static var pythonIsInstalled: Bool {
        programIsInstalled("cc")
            && (try? runProgram("pkg-config", ["--exists", "python3-embed"]))?.status == 0
    }

    @Test(
        "A new project in Rust builds and runs",
        .enabled(if: programIsInstalled("cargo"), "no cargo: the template is not tested"))
    func rust() throws { try make(.rust) }

    @Test(
        "A new project in Swift builds and runs",
        .enabled(if: programIsInstalled("swift"), "no swift: the template is not tested"))
    func swift() throws { try make(.swift) }

    @Test(
        "A project in Swift can test itself on a host in memory, and import the libraries for folders",
        .enabled(if: programIsInstalled("swift"), "no swift: the package of OverlayKit is not tested"))
    func swiftLibraries() throws {
        let shop = try Workshop()
        let made = try shop.overlayhost("new", "Paperboat", "--language", "swift")
        try #require(made.status == 0, "\(made.errors)")
        let project = shop.folder.url.appendingPathComponent("Paperboat")
        let page = try String(
            contentsOf: sourceFolder.appendingPathComponent("docs/overlays/testing.md"), encoding: .utf8)
        let blocks = page.matches(of: #/```swift\n((?s:.*?))```/#).map { String($0.1) }
        let target = try #require(blocks.first { $0.contains(".testTarget") })
        let suite = try #require(blocks.first { $0.contains("@Suite") })
        let products = ["BookFolders", "Claims", "DeviceDatabases", "UploadPlanning"]
        let manifest = project.appendingPathComponent("Package.swift")
        let text = try String(contentsOf: manifest, encoding: .utf8)
        let more = products.map { #", .product(name: "\#($0)", package: "OverlayKit")"# }.joined()
        let place = try #require(text.range(of: "            ])\n    ],\n    swiftLanguageModes"))
        try Data(
            text.replacingCharacters(
                in: place,
                with: "            ]),\n"
                    + target.replacing(
                        #"package: "OverlayKit")])"#, with: #"package: "OverlayKit")\#(more)])"#)
                    + "    ],\n    swiftLanguageModes"
            ).utf8
        ).write(to: manifest)
        let folder = project.appendingPathComponent("Tests/PaperboatTests")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let imports = (products + ["OverlayKit", "OverlayKitTesting", "Testing"]).map { "import \($0)\n" }
        try Data(
            (imports.joined() + "\n@testable import PaperboatOverlay\n\n" + suite).utf8
        ).write(to: folder.appendingPathComponent("PaperboatTests.swift"))
        let run = try shop.run("swift", ["test"], in: "Paperboat")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("with 2 tests"), "\(run.output)")
    }

    /// Makes a project, builds it, lists, adds, fetches and deletes books with its overlay, and checks that it
    /// follows the contract.
    private func make(_ project: Project) throws {
        let shop = try Workshop()
        let made = try shop.overlayhost("new", "my-books", "--language", project.language)
        try #require(made.status == 0, "\(made.errors)")
        let run = try shop.run("make", ["run"], in: "my-books")
        try #require(run.status == 0, "\(run.output)\(run.errors)")
        #expect(!run.errors.contains("warning"), "\(run.errors)")
        #expect(run.output.contains("Emma"))
        #expect(shop.has("my-books/" + project.library))
        try exports(shop, project)

        let plugins = URL(fileURLWithPath: "my-books/" + project.library).deletingLastPathComponent()
            .relativePath
        let options = ["--plugins", shop.folder.path(plugins), "--simulated=my-books/device"]
        let list = try shop.document(["books"] + options)
        #expect(list["overlay"] as? String == "my_books")
        #expect(list["app"] as? String == "MyBooks")
        #expect(texts(list, "books", "path") == ["/Documents/Emma.epub"])
        try roundTrip(shop, options)
        let check = try shop.run("make", ["check"], in: "my-books")
        #expect(check.status == 0, "\(check.output)\(check.errors)")
    }

    private func roundTrip(_ shop: Workshop, _ options: [String]) throws {
        let book = try RealBooks.history("en")
        let added = try shop.document(["upload", book.path] + options)
        #expect(texts(added, "results", "status") == ["added"])
        let path = try #require(texts(added, "results", "path").first)
        #expect(path.hasPrefix("/Documents/") && path.hasSuffix(".epub"))
        #expect(
            texts(try shop.document(["upload", book.path] + options), "results", "status") == ["skipped"])
        let again = try shop.document(["upload", book.path, "--on-conflict", "replace"] + options)
        #expect(texts(again, "results", "status") == ["replaced"])
        let fetched = try shop.document(["get", path, "--output", "fetched"] + options)
        let file = try #require(texts(fetched, "results", "path").first)
        #expect(
            FileManager.default.contentsEqual(
                atPath: shop.folder.url.appendingPathComponent(file).path, andPath: book.path)
                || FileManager.default.contentsEqual(atPath: file, andPath: book.path))
        let deleted = try shop.document(["delete", path, "Emma", "--yes"] + options)
        #expect(texts(deleted, "results", "status") == ["deleted", "deleted"])
        #expect(texts(try shop.document(["books"] + options), "books", "path").isEmpty)
    }

    private func exports(_ shop: Workshop, _ project: Project) throws {
        let symbols = try shop.run(
            "nm", ["-D", "--defined-only", "--extern-only", project.library], in: "my-books")
        #expect(
            symbols.output.split(separator: "\n").compactMap { $0.split(separator: " ").last } == [
                "ovl_entry_v1"
            ])
    }
}
