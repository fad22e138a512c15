import BookFolders
import OverlayKitTesting
import OverlayKit
import Testing

@Suite("A book does not vanish because the device gives no information about its file")
struct UnexaminedTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    private static let statuses: [OverlayStatus] = [
        .failed, .accessRefused, .deviceIO, .notSupported, .invalidArgument, .busy, .protocolError,
    ]

    init() {
        host.put("One.epub", bookText("First", ["Ann"], filler: "1"))
        host.put("sub/Two.pdf", bookText("Second", filler: "2"))
    }

    private func fail(
        _ ending: String, _ operations: [String] = ["stat"], _ status: OverlayStatus = .deviceIO
    ) {
        host.fault = { operation, path in
            operations.contains(operation) && path.hasSuffix(ending) ? status : nil
        }
    }

    @Test(
        "It is listed as it was known last, with a warning, and what is known of it stays",
        arguments: statuses)
    func listed(status: OverlayStatus) throws {
        #expect(try bench.books().map(\.title) == ["First", "Second"])
        fail("Two.pdf", ["stat"], status)
        let books = try bench.books()
        #expect(books.map(\.path) == ["One.epub", "sub/Two.pdf"])
        #expect(books.map(\.title) == ["First", "Second"])
        #expect(books.map { $0.size == nil } == [false, true])
        #expect(books.map(\.collections) == [[], ["sub"]])
        #expect(host.warnings.filter { $0.contains("'sub/Two.pdf'") }.count == 1)
        host.fault = { _, _ in nil }
        host.bytesRead = 0
        #expect(try bench.books().map(\.title) == ["First", "Second"])
        #expect(host.bytesRead == 0)
    }

    @Test("A book that was never read is listed by the name of its file")
    func unknown() throws {
        fail("Two.pdf")
        #expect(try bench.books().map(\.title) == ["First", "Two"])
    }

    @Test("A single failure is retried, alone")
    func once() throws {
        var failures = 0
        host.fault = { operation, path in
            guard operation == "stat", path.hasSuffix("Two.pdf"), failures == 0 else { return nil }
            failures += 1
            return .deviceIO
        }
        let books = try bench.books()
        #expect(books.map { $0.size == nil } == [false, false])
        #expect(host.warnings.isEmpty)
        #expect(host.operations.filter { $0 == "stat /Documents/sub/Two.pdf" }.count == 2)
        #expect(host.operations.filter { $0 == "stat /Documents/One.epub" }.count == 1)
    }

    @Test("A file that has been removed is not retried, and not listed")
    func gone() throws {
        fail("Two.pdf", ["stat"], .notFound)
        #expect(try bench.books().map(\.path) == ["One.epub"])
        #expect(host.operations.filter { $0 == "stat /Documents/sub/Two.pdf" }.count == 1)
        #expect(host.warnings.isEmpty)
    }

    @Test("Nothing is added or changed while a book is unknown")
    func changes() throws {
        let item = host.item("w.epub", bookText("Third", filler: "3"), title: "Third")
        fail("Two.pdf")
        let (rows, error) = try bench.upload([item])
        #expect(error?.status == .deviceIO)
        #expect(error?.subject == "sub/Two.pdf")
        #expect(rows.map(\.outcome) == [.failed])
        let failure = #expect(throws: OverlayError.self) { try bench.sync { $0[0].title = "New" } }
        #expect(failure?.subject == "sub/Two.pdf")
        #expect(host.documents == ["One.epub", "sub/Two.pdf"])
        host.fault = { _, _ in nil }
        #expect(try bench.upload([item]).rows.map(\.outcome) == [.added])
    }

    @Test("The title of another book can be changed while a book is unknown")
    func otherTitle() throws {
        fail("Two.pdf")
        #expect(try bench.retitle("One.epub", "New").map(\.path) == ["New.epub"])
        #expect(host.documents == ["New.epub", "sub/Two.pdf"])
    }

    @Test("A file that cannot be examined does not matter if it is not a book")
    func otherFile() throws {
        bench.options.looksIntoUnknownFiles = false
        host.put("state.sqlite", "x")
        fail("state.sqlite", ["stat", "list"])
        #expect(try bench.books().count == 2)
        #expect(host.warnings.isEmpty)
        let item = host.item("w.epub", bookText("Third", filler: "3"), title: "Third")
        #expect(try bench.upload([item]).rows.map(\.outcome) == [.added])
    }

    @Test("A folder that cannot be examined is listed if possible, else the listing fails")
    func folder() throws {
        fail("/sub")
        #expect(try bench.books().map(\.path) == ["One.epub", "sub/Two.pdf"])
        fail("/sub", ["stat", "list"])
        let error = #expect(throws: OverlayError.self) { try bench.books() }
        #expect(error?.status == .deviceIO)
        #expect(error?.subject == "sub")
    }

    @Test("If hardly anything can be examined, the listing fails")
    func all() throws {
        for number in 0..<100 { host.put("many/\(number).epub", bookText("N\(number)")) }
        fail(".epub")
        let error = #expect(throws: OverlayError.self) { try bench.books() }
        #expect(error?.status == .deviceIO)
    }
}

@Suite("An unpacked EPUB is fetched whole or not at all")
struct WholePackageTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    init() {
        host.put("P.epub/mimetype", "application/epub+zip")
        host.put("P.epub/META-INF/container.xml", "<container/>")
        host.put("P.epub/OEBPS/ch1.xhtml", String(repeating: "<p/>", count: 100))
    }

    private func read() throws -> Int {
        var count = 0
        try bench.shelf().read("P.epub") { chunk, _, _ in count += chunk.count }
        return count
    }

    @Test(
        "A part that cannot be examined, listed or read is the error of the book",
        arguments: [
            ("stat", "/ch1.xhtml"), ("stat", "/META-INF"), ("list", "/OEBPS"), ("read", "/ch1.xhtml"),
        ])
    func part(operation: String, ending: String) throws {
        #expect(try read() > 0)
        for status in [OverlayStatus.accessRefused, .deviceIO] {
            host.fault = { name, path in name == operation && path.hasSuffix(ending) ? status : nil }
            let error = #expect(throws: OverlayError.self) { try read() }
            #expect(error?.status == status)
        }
    }

    @Test(
        "A part that vanishes means that the book changed, not that it is gone",
        arguments: [("stat", "/ch1.xhtml"), ("list", "/OEBPS"), ("read", "/ch1.xhtml")])
    func vanished(operation: String, ending: String) throws {
        host.fault = { name, path in name == operation && path.hasSuffix(ending) ? .notFound : nil }
        let error = #expect(throws: OverlayError.self) { try read() }
        #expect(error?.status == .verificationFailed)
        #expect(error?.retryable == true)
    }

    @Test(
        "In a listing, it counts as unknown as a whole",
        arguments: [("stat", "/ch1.xhtml"), ("list", "/OEBPS")])
    func listed(operation: String, ending: String) throws {
        let whole = try bench.books()
        #expect(whole.map(\.path) == ["P.epub"])
        host.fault = { name, path in name == operation && path.hasSuffix(ending) ? .deviceIO : nil }
        let books = try bench.books()
        #expect(books.map(\.path) == ["P.epub"])
        #expect(books.map(\.title) == whole.map(\.title))
        #expect(books.map(\.size) == [nil])
        #expect(host.warnings.contains { $0.contains("'P.epub'") })
    }
}

@Suite("Links on the device are not followed")
struct LinkTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    init() {
        host.put("One.epub", bookText("One"))
        host.put("dl/One.epub", bookText("One"))
        host.links = ["/Documents/dl"]
    }

    @Test("A book behind a link is neither fetched nor deleted, and the folders above take no round trip")
    func books() throws {
        let shelf = try bench.shelf()
        let error = #expect(throws: OverlayError.self) { try shelf.read("dl/One.epub") { _, _, _ in } }
        #expect(error?.status == .notFound)
        let (rows, _) = try bench.delete(["dl/One.epub"])
        #expect(rows.map(\.status) == [.notFound])
        #expect(host.documents == ["One.epub", "dl/One.epub"])
        host.batches = []
        host.put("sub/Two.epub", bookText("Two"))
        try shelf.read("sub/Two.epub") { _, _, _ in }
        #expect(host.batches.filter { $0.operation == "stat" }.map(\.count) == [2])
    }

    @Test("A link does not count as a collection", arguments: ["dl", "dl/new"])
    func collection(name: String) throws {
        let item = host.item("m.epub", bookText("M", filler: "m"), title: "M")
        let (rows, _) = try bench.upload([item], UploadOptions(collections: [name]))
        #expect(rows.map(\.status) == [.alreadyExists])
        let moved = try bench.sync { $0[0].collections = [name] }
        #expect(moved.map(\.status) == [.alreadyExists])
        #expect(host.documents == ["One.epub", "dl/One.epub"])
        #expect(!host.operations.contains { $0.hasPrefix("make_folder") })
    }
}
