import Foundation
import HTTPTestSupport
import SimulatedDevice
import TestSupport
import Testing

@Suite("Books are added from folders, URLs, catalogues and standard input")
struct UploadSourcesTests {
    private func bench() throws -> ReaderBench {
        let bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "17.0"
            $0.apps = [SimulatedReader.paperback()]
        }
        let documents = SimulatedReader(device: bench.device).documents
        try FileManager.default.removeItem(at: documents)
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: false)
        return bench
    }

    private func titles(_ bench: ReaderBench) throws -> [String] {
        try bench.json("books").texts("books", "title").sorted()
    }

    private func file(_ bench: ReaderBench, _ name: String, _ data: Data) throws -> String {
        try data.write(to: bench.folder.url.appendingPathComponent(name))
        return bench.folder.path(name)
    }

    private func epub(_ title: String) -> Data { SyncSource.book(title: title, author: "Ann", words: title) }

    @Test("-r adds the books in folders, and follows no link out of them")
    func recursive() throws {
        let bench = try bench()
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        let other = try SyncSource(bench.folder.url.appendingPathComponent("other"))
        try source.put("Austen/Emma/emma.epub", title: "Emma")
        try source.put("pride.epub", title: "Pride")
        try other.put("secret.epub", title: "Secret")
        #expect(symlink(other.path, source.path + "/link") == 0)
        #expect(symlink(other.path + "/secret.epub", source.path + "/link.epub") == 0)
        let plain = try bench.json("upload", source.path)
        #expect(plain.texts("results", "code") == ["input_unreadable"])
        #expect(plain.texts("results", "hint").first?.contains("-r") == true)
        let result = try bench.json("upload", "-r", source.path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.texts("results", "item") == [
                source.path + "/Austen/Emma/emma.epub", source.path + "/pride.epub",
            ])
        #expect(try titles(bench) == ["Emma", "Pride"])
        let empty = bench.folder.path("empty")
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
        let mixed = try bench.json("upload", "-r", empty, other.path)
        #expect(mixed.status == 1 && mixed.texts("results", "status") == ["failed", "added"])
        #expect(mixed.texts("results", "item") == [empty, other.path + "/secret.epub"])
    }

    @Test("A URL is downloaded and added; one without a book has its own error")
    func url() throws {
        let bench = try bench()
        let server = try ScriptedServer()
        let book = try file(bench, "a", epub("From the Web"))
        let url = server.url("/r/book?type=application/epub%2Bzip&file=\(book)")
        let missing = server.url("/r/missing?status=404")
        let result = try bench.json("upload", missing, url)
        #expect(
            result.status == 1 && result.texts("results", "status") == ["failed", "added"], "\(result.errors)"
        )
        #expect(result.texts("results", "item") == [missing, url])
        #expect(try titles(bench) == ["From the Web"])
        let refused = try bench.json("upload", "http://127.0.0.1:1/a.epub")
        #expect(refused.status == 1 && refused.texts("results", "status") == ["failed"])
    }

    @Test(
        "Each book of an OPDS feed is added in the best format, and the one book of an entry",
        arguments: [1, 2])
    func catalog(version: Int) throws {
        let bench = try bench()
        let server = try ScriptedServer()
        let (one, two) = (try file(bench, "one", epub("One")), try file(bench, "two", epub("Two")))
        func link(_ file: String) -> String {
            "../r/\(file.suffix(3))?type=application/epub%2Bzip&file=\(file)"
        }
        let feed: String
        if version == 1 {
            func entry(_ title: String, _ links: String) -> String {
                "<entry><title>\(title)</title>\(links)</entry>"
            }
            func acquisition(_ href: String, _ type: String, _ rel: String = "") -> String {
                let href = href.replacing("&", with: "&amp;")
                return
                    "<link rel=\"http://opds-spec.org/acquisition\(rel)\" type=\"\(type)\" href=\"\(href)\"/>"
            }
            feed =
                "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>F</title>"
                + "<link rel=\"next\" href=\"page2\"/>"
                + entry(
                    "Uno",
                    acquisition("/never", "application/x-mobipocket-ebook")
                        + acquisition(link(one), "application/epub+zip"))
                + entry("Due", acquisition(link(two), "application/epub+zip", "/open-access"))
                + entry("For Sale", acquisition("/never", "application/epub+zip", "/buy"))
                + entry("Mobi Only", acquisition("/never", "application/x-mobipocket-ebook")) + "</feed>"
        } else {
            func publication(_ title: String, _ href: String, _ type: String, _ rel: String) -> String {
                """
                {"metadata": {"title": "\(title)"}, "links": [{"rel": "http://opds-spec.org/acquisition\(rel)", \
                "type": "\(type)", "href": "\(href)"}]}
                """
            }
            let publications = [
                publication("Uno", link(one), "application/epub+zip", ""),
                publication("Due", link(two), "application/epub+zip", "/open-access"),
                publication("For Sale", "/never", "application/epub+zip", "/buy"),
                publication("Mobi Only", "/never", "application/x-mobipocket-ebook", ""),
            ]
            feed =
                "{\"metadata\": {\"title\": \"F\"}, \"links\": [{\"rel\": \"next\", \"href\": \"page2\"}], \"publications\": ["
                + publications.joined(separator: ", ") + "]}"
        }
        let document = try file(bench, "feed", Data(feed.utf8))
        let type = version == 1 ? "application/atom%2Bxml;profile=opds-catalog" : "application/opds%2Bjson"
        let result = try bench.json("upload", server.url("/r/feed?type=\(type)&file=\(document)"))
        #expect(result.texts("results", "item") == ["Uno", "Due", "Mobi Only"], "\(result)")
        #expect(result.texts("results", "status") == ["added", "added", "failed"], "\(result)")
        #expect(result.texts("results", "code") == ["unsupported_format"] && result.status == 1)
        #expect(
            result.errors.contains("Only the first page of the feed is uploaded. The next page: "),
            "\(result.errors)")
        #expect(result.errors.contains("/r/page2"), "\(result.errors)")
        #expect(try titles(bench) == ["One", "Two"])
        #expect(try server.requests("/never").isEmpty)
    }

    @Test("Standard input is read as a book, with a name or without")
    func input() throws {
        let bench = try bench()
        let program = try buildProductsFolder().appendingPathComponent("overlayhost").path
        func upload(_ file: String, _ more: String) throws -> ProgramResult {
            try runProgram(
                "/bin/sh", ["-c", "exec \"$0\" upload - --json \(more) < \"$1\"", program, file],
                environment: bench.environment)
        }
        let named = try Document(upload(try file(bench, "x", epub("Named")), "--name named.epub"))
        #expect(named.status == 0 && named.texts("results", "item") == ["named.epub"], "\(named.errors)")
        let plain = try Document(upload(try file(bench, "y", epub("Plain")), ""))
        #expect(plain.status == 0 && plain.texts("results", "item") == ["-"], "\(plain.errors)")
        let hostile = try Document(upload(try file(bench, "z", epub("Hostile")), "--name ../../../z.epub"))
        #expect(hostile.status == 0, "\(hostile.errors)")
        #expect(try titles(bench) == ["Hostile", "Named", "Plain"])
        for name in ["", "--name e.epub"] {
            let empty = try Document(upload(try file(bench, "e", Data()), name))
            #expect(empty.status == 1)
            #expect(empty.rows("results").map { $0["message"] as? String } == ["Standard input is empty."])
        }
        let unknown = try Document(upload(try file(bench, "u", Data("some text".utf8)), ""))
        #expect(
            unknown.rows("results").map { $0["hint"] as? String }
                == ["Give the book a name with an extension, such as book.epub."], "\(unknown.object)")
        #expect(try bench.run("upload", "-", "-").status == 64)
        #expect(try bench.run("upload", "a.epub", "--name", "b.epub").status == 64)
    }
}
