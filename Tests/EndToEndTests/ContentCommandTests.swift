import Foundation
import HTTPTestSupport
import SimulatedDevice
import TestSupport
import Testing

@Suite("The commands sniff, fetch and info work from a shell")
struct ContentCommandTests {
    /// Runs a shell command line in which `$0` is the program.
    private func shell(_ bench: ReaderBench, _ line: String, _ words: String...) throws -> ProgramResult {
        let program = try buildProductsFolder().appendingPathComponent("overlayhost").path
        // The scripted server is local, regardless of what the environment says about proxies.
        let environment = bench.environment.merging(["no_proxy": "*", "NO_PROXY": "*"]) { $1 }
        return try runProgram("bash", ["-c", line, program] + words, environment: environment)
    }

    @Test("Standard input is sniffed, read and described by its content alone")
    func standardInput() throws {
        let bench = try ReaderBench(attached: false)
        let book = try RealBooks.developersReference().path
        let sniffed = try Document(shell(bench, "exec \"$0\" sniff - --json <\"$1\"", book))
        #expect(sniffed.status == 0)
        #expect(sniffed.texts("results", "input") == ["-"])
        #expect(sniffed.texts("results", "media_type") == ["application/epub+zip"])
        #expect(sniffed.texts("results", "round") == ["heavy"])
        let container = try shell(bench, "exec \"$0\" fetch - /META-INF/container.xml <\"$1\"", book)
        #expect(container.status == 0)
        #expect(container.output.contains("<rootfile "))
        let info = try Document(shell(bench, "exec \"$0\" info - --json <\"$1\"", book))
        #expect(info.status == 0)
        #expect(info["title"] as? String == "developers-reference")
        let nothing = try Document(shell(bench, "exec \"$0\" sniff - --json </dev/null"))
        #expect(nothing.status == 0)
        #expect(nothing.rows("results").first?["media_type"] is NSNull)
        #expect(try shell(bench, "exec \"$0\" sniff - <&-").status == 0)
    }

    @Test("--explain shows how a real EPUB, PDF, page and comic are recognised, with a name and without")
    func explained() throws {
        let bench = try ReaderBench(attached: false)
        let pictures = "/usr/share/doc/debian-history/docs/images"
        let comic = bench.folder.path("comic.cbz")
        let packed = try runProgram(
            "python3",
            ["-m", "zipfile", "-c", comic]
                + FileManager.default.contentsOfDirectory(atPath: pictures)
                .filter { $0.hasSuffix(".png") }.sorted().map { pictures + "/" + $0 })
        #expect(packed.status == 0, "\(packed.errors)")
        let samples = [
            (try RealBooks.history("en").path, "epub", "META-INF/container.xml in the archive"),
            ("/usr/share/doc/debian-history/docs/project-history.en.pdf", "pdf", "content begins with %PDF"),
            ("/usr/share/doc/debian-history/docs/index.en.html", "html", "document type html"),
            (comic, "cbz", "only images in the archive"),
        ]
        for (path, sniffer, evidence) in samples {
            let named = try Document(bench.run("sniff", "--json", "--explain", path))
            #expect(named.texts("results", "sniffer") == [sniffer])
            #expect(named.texts("results", "round") == ["light"])
            #expect(named.texts("results", "evidence") == ["extension \(sniffer)"])
            let text = try bench.run("sniff", "--explain", path)
            #expect(text.status == 0)
            #expect(text.output.contains("by content  the same"))
            let nameless = bench.folder.path("nameless-\(sniffer)")
            try FileManager.default.copyItem(atPath: path, toPath: nameless)
            let byContent = try Document(bench.run("sniff", "--json", "--explain", nameless))
            #expect(byContent.texts("results", "sniffer") == [sniffer])
            #expect(byContent.texts("results", "round") == ["heavy"])
            #expect(byContent.texts("results", "evidence") == [evidence])
            let read = try #require(byContent.rows("results").first?["bytes_read"] as? Int)
            #expect(read > 0 && read <= 64 << 10)
        }
    }

    @Test("Fetched bytes arrive unchanged through a pipe and in a file")
    func unchanged() throws {
        let bench = try ReaderBench(attached: false)
        let book = try RealBooks.history("ja").path
        #expect(try shell(bench, "set -o pipefail; \"$0\" fetch \"$1\" | cmp - \"$1\"", book).status == 0)
        let file = bench.folder.path("copy")
        #expect(try bench.run("fetch", book, "-o", file).status == 0)
        #expect(FileManager.default.contentsEqual(atPath: file, andPath: book))
    }

    @Test("A reader that closes the pipe is not a failure, but lost bytes are")
    func lostOutput() throws {
        let bench = try ReaderBench(attached: false)
        let book = try RealBooks.history("en").path
        let head = try shell(
            bench, "\"$0\" fetch \"$1\" | head -c 2; exit ${PIPESTATUS[0]}", book)
        #expect(head.status == 0)
        #expect(head.output == "PK")
        #expect(head.errors.isEmpty)
        for redirection in [">/dev/full", ">&-"] {
            let lost = try shell(bench, "exec \"$0\" fetch \"$1\" \(redirection)", book)
            #expect(lost.status == 74)
            #expect(lost.errors.contains("Cannot write the result"))
        }
    }

    @Test("For a URL the server's headers decide, and only the wanted range is requested")
    func http() throws {
        let bench = try ReaderBench(attached: false)
        let server = try ScriptedServer()
        let url = server.url("/r/book?size=500000&type=application/pdf")
        let sniffed = try Document(shell(bench, "exec \"$0\" sniff --json \"$1\"", url))
        #expect(sniffed.texts("results", "media_type") == ["application/pdf"], "\(sniffed.errors)")
        #expect(sniffed.texts("results", "round") == ["light"])
        let file = bench.folder.path("range")
        let fetched = try shell(
            bench, "exec \"$0\" fetch \"$1\" --range 400000-400009 -o \"$2\"",
            server.url("/r/far?size=50000000"), file)
        #expect(fetched.status == 0, "\(fetched.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == ScriptedContent.bytes(400_000..<400_010))
        for request in try server.requests("/r/far") where request.method == "GET" {
            #expect(request.range != nil)
        }
    }

    @Test("A book behind a URL is listed, read and described by ranges")
    func bookByURL() throws {
        let bench = try ReaderBench(attached: false)
        let server = try ScriptedServer()
        let book = try RealBooks.developersReference().path
        let url = server.url("/r/book?type=application/epub%2Bzip&file=\(book)")
        let list = try Document(shell(bench, "exec \"$0\" fetch \"$1\" --list --json", url))
        #expect(list.texts("resources", "href").contains("/META-INF/container.xml"), "\(list.errors)")
        #expect(list.texts("resources", "media_type").contains("application/xhtml+xml"))
        let container = try shell(bench, "exec \"$0\" fetch \"$1\" /META-INF/container.xml", url)
        #expect(container.output.contains("<rootfile "))
        let info = try Document(shell(bench, "exec \"$0\" info \"$1\" --json", url))
        #expect(info["title"] as? String == "developers-reference")
        #expect(info["source"] as? String == "url")
        for request in try server.requests("/r/book") where request.method == "GET" {
            #expect(request.range != nil)
        }
    }

    @Test("A server's refusal is reported with the URL, and leaves no file", arguments: ["404", "503"])
    func refused(status: String) throws {
        let bench = try ReaderBench(attached: false)
        let server = try ScriptedServer()
        let url = server.url("/r/book?status=\(status)")
        let file = bench.folder.path("out")
        let fetched = try Document(shell(bench, "exec \"$0\" fetch \"$1\" --json -o \"$2\"", url, file))
        #expect(fetched.status == (status == "404" ? 66 : 74))
        #expect(fetched.error("subject") == url)
        #expect(fetched.error("message")?.contains(status) == true)
        #expect(!FileManager.default.fileExists(atPath: file))
        // Even if the name alone would show a format.
        for url in [url, server.url("/r/named.epub?status=\(status)")] {
            let sniffed = try Document(shell(bench, "exec \"$0\" sniff --json \"$1\"", url))
            #expect(sniffed.status == 1)
            #expect(sniffed.rows("results").first?["error"] is [String: Any])
            #expect(sniffed.rows("results").first?["media_type"] is NSNull)
        }
    }

    @Test(
        "A server that cannot be reached is an error, regardless of the name; one that can be is asked once")
    func asked() throws {
        let bench = try ReaderBench(attached: false)
        let server = try ScriptedServer()
        let url = server.url("/r/download?size=1000&disposition=attachment;%20filename=%22a.cbz%22")
        let named = server.url("/r/book.epub?size=1000")
        let sniffed = try Document(
            shell(bench, "exec \"$0\" sniff --json \"$1\" \"$2\" http://127.0.0.1:1/book.epub", url, named))
        #expect(sniffed.status == 1)
        #expect(
            sniffed.rows("results").map { $0["media_type"] as? String }
                == ["application/vnd.comicbook+zip", "application/epub+zip", nil])
        let error = try #require(sniffed.rows("results").last?["error"] as? [String: Any])
        #expect(error["subject"] as? String == "http://127.0.0.1:1/book.epub")
        #expect(try server.requests("/r/download").map(\.method) == ["HEAD"])
        #expect(try server.requests("/r/book.epub").map(\.method) == ["HEAD"])
    }

    @Test("A book behind a URL that was read before is only confirmed, and --no-cache reads it again")
    func cached() throws {
        let bench = try ReaderBench(attached: false)
        let server = try ScriptedServer()
        let book = try RealBooks.developersReference().path
        let url = server.url("/r/book?type=application/epub%2Bzip&etag=%22v1%22&file=\(book)")
        let first = try Document(shell(bench, "exec \"$0\" info \"$1\" --json", url))
        #expect(first["title"] as? String == "developers-reference", "\(first.errors)")
        let cold = try server.requests("/r/book").count
        let second = try Document(shell(bench, "exec \"$0\" info \"$1\" --json", url))
        #expect(second["title"] as? String == "developers-reference")
        #expect(second["format"] as? String == first["format"] as? String)
        let warm = try server.requests("/r/book").dropFirst(cold)
        #expect(warm.map { $0.headers["if-none-match"] } == ["\"v1\""])
        let list = try shell(bench, "exec \"$0\" info --no-cache \"$1\" --json", url)
        #expect(list.status == 0)
        #expect(try server.requests("/r/book").count > cold + 2)
        // The command succeeds without a usable cache.
        let folder = bench.folder.path("cache/overlayhost/web")
        try FileManager.default.removeItem(atPath: folder)
        try Data().write(to: URL(fileURLWithPath: folder))
        #expect(try shell(bench, "exec \"$0\" info \"$1\" --json", url).status == 0)
    }

    @Test("A file takes precedence over a book, and a name that is neither is reported as a missing file")
    func fileOrBook() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let book = try RealBooks.history("en").path
        let described = try bench.json("info", book)
        #expect(described.status == 0)
        #expect(described["path"] as? String == book)
        let onDevice = try #require(try bench.json("books").texts("books", "path").first)
        #expect(try bench.json("info", onDevice)["path"] as? String == onDevice)
        let neither = try bench.run("info", "misspelt.epub")
        #expect(neither.status == 66)
        #expect(neither.errors.contains("There is no local file 'misspelt.epub'"))
        // A named device does not hide a file.
        let file = try bench.json("info", book, "--app", "Marvin")
        #expect(file["path"] as? String == book)
        #expect(file["source"] as? String == "file")
        bench.daemon.detach(bench.device)
        let offline = try bench.json("info", "misspelt.epub")
        #expect(offline.status == 66)
        #expect(offline.error("message") == "No such file or directory.")
        let title = try bench.run("info", "Some Title")
        #expect(title.status == 69)
        #expect(title.errors.contains("There is no local file 'Some Title'"))
        // A command with an app means a book of its library.
        let named = try bench.run("info", "Some Title", "--app", "Marvin")
        #expect(!named.errors.contains("There is no local file"))
    }

    @Test(
        "info shows what a book's file says beside the app's record, and reads little of it"
    )
    func onDevice() throws {
        let book = try RealBooks.developersReference()
        let bench = try ReaderBench(books: [book])
        let path = try #require(try bench.json("books").texts("books", "path").first)
        let info = try bench.json("info", path)
        #expect(info.status == 0, "\(info.errors)")
        #expect(info["source"] as? String == "device")
        let file = try #require(info["file"] as? [String: Any])
        let local = try bench.json("info", book.path)
        for name in ["title", "format", "uuid"] {
            #expect(file[name] as? String == local[name] as? String)
        }
        #expect(file["languages"] as? [String] == local["languages"] as? [String])
        #expect((file["path"] as? String)?.hasSuffix(path) == true)
        let size = try #require(file["size"] as? Int)
        #expect(size == local["size"] as? Int)
        #expect((file["bytes_read"] as? Int ?? .max) < size)
        let text = try bench.run("info", path)
        #expect(text.output.contains("\n\nIn the file\n  Title"))
        #expect(text.output.contains("Marvin on "))
        let record = try bench.json("info", path, "--no-file")
        #expect(record["file"] is NSNull)
        #expect(try !bench.run("info", path, "--no-file").output.contains("In the file"))
    }
}
