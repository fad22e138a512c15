import Foundation
import TestSupport
import Testing

@Suite("A new project builds as it is and serves an app on the simulated device")
struct NewProjectTests {
    @Test("In C", .enabled(if: programIsInstalled("cc"), "no C compiler: the template is not tested"))
    func c() throws { try make(.c) }

    @Test("In C++", .enabled(if: programIsInstalled("c++"), "no C++ compiler: the template is not tested"))
    func cpp() throws { try make(.cpp) }

    @Test("In Rust", .enabled(if: programIsInstalled("cargo"), "no cargo: the template is not tested"))
    func rust() throws { try make(.rust) }

    @Test("In Swift", .enabled(if: programIsInstalled("swift"), "no swift: the template is not tested"))
    func swift() throws { try make(.swift) }

    /// Makes a project, builds it, lets it list, takes its overlay through adding, fetching and deleting, and checks that
    /// it keeps the contract.
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
