import OverlayKitTesting
import OverlayKit
import PropertyLists
import Testing

@testable import iBooks

@Suite("Unreadable parts hide nothing else, and nothing is changed because of them")
struct PartlyReadableTests {
    private let shelf = BooksShelf()

    /// Two books, one of them in a folder, and one more deeper down.
    private func fill() throws {
        try shelf.place("a.epub", "A", "A", id: "AAAA", "EPUB a")
        shelf.unpacked("b.epub", title: "B")
        for folder in ["/Books/Managed", "/Books/Deep"] { shelf.host.folders.insert(folder) }
        shelf.put("Deep/c.epub", "EPUB\nTitle: C")
        try shelf.list("Managed/Managed.plist", [])
        try shelf.list("Purchases/Purchases.plist", [])
        try shelf.list(
            "Books.plist",
            try shelf.entries("Books.plist") + [
                ["Path": "b.epub", "Persistent ID": "BBBB"],
                ["Path": "Deep/c.epub", "Persistent ID": "CCCC"],
            ])
    }

    @Test("Books that a listing leaves out, and parts that cannot be read, are named in one line")
    func oneLine() throws {
        try fill()
        for number in 1...4 {
            try shelf.list(
                "Books.plist",
                try shelf.entries("Books.plist") + [
                    ["Path": .string("gone \(number).epub"), "Name": .string("Gone \(number)")]
                ])
        }
        try shelf.list("Purchases/Purchases.plist", [])
        shelf.host.fault = { $1 == "/Books/Managed" && $0 != "push" ? .accessRefused : nil }
        #expect(try shelf.titles() == ["A", "B", "C"])
        #expect(shelf.host.warnings.count == 1)
        let line = try #require(shelf.host.warnings.first)
        #expect(
            line.hasPrefix(
                "4 books listed by Books were left out because their files are not on the device: "
                    + "'Gone 1', 'Gone 2', 'Gone 3' and 1 more. Cannot read parts of Books. "))
        #expect(line.contains("/Books/Managed: "))
        #expect(line.hasSuffix("."))
        #expect(!line.contains("\n"))
    }

    @Test(
        "A listing skips and reports a place that iOS refuses, but a change fails",
        arguments: [
            ("/Books/Managed/Managed.plist", false), ("/Books/Managed", false), ("/Books/Purchases", false),
            ("/Books/Sync/Artwork", true), ("/Books/b.epub/META-INF", true), ("/Books/b.epub", true),
            ("/Books/b.epub/META-INF/container.xml", true),
            ("/Books/Deep/c.epub", false),
        ])
    func refused(path: String, mayWrite: Bool) throws {
        try fill()
        shelf.host.fault = { $1 == path && $0 != "push" ? .accessRefused : nil }
        let isDeep = path.contains("Deep")
        var options = BooksOptions()
        options.withAnnotations = true
        var paths: [String] = []
        try shelf.overlay().books(options) { paths.append($0.path ?? "") }
        #expect(paths == ["a.epub", "b.epub"] + (isDeep ? [] : ["Deep/c.epub"]))
        #expect(!shelf.host.log.isEmpty)
        let before = shelf.host.files["/Books/Books.plist"]?.bytes
        let (rows, error) = try shelf.delete(["a.epub"])
        #expect(rows.map(\.outcome) == (mayWrite ? [.deleted] : [.failed]))
        #expect(error?.status == (mayWrite ? nil : .accessRefused))
        if !mayWrite { #expect(shelf.host.files["/Books/Books.plist"]?.bytes == before) }
    }

    @Test(
        "Annotations that exist and cannot be read are a failure of a listing with annotations only",
        arguments: AnnotationReader.paths, [nil, "", "garbage"])
    func annotations(path: String, content: String?) throws {
        try fill()
        var options = BooksOptions()
        options.withAnnotations = true
        try shelf.overlay().books(options) { _ in }
        if let content {
            shelf.host.files[path] = .init(bytes: Array(content.utf8), modified: 1, created: 1)
        } else {
            shelf.host.fault = { $1 == path && $0 != "push" ? .accessRefused : nil }
        }
        var count = 0
        let error = #expect(throws: OverlayError.self) {
            try shelf.overlay().books(options) { _ in count += 1 }
        }
        #expect(error?.status == (content == nil ? .accessRefused : .damaged))
        #expect(error?.subject == path && count == 0)
        // The host then lists the books without annotations. What a listing remarks is not said twice.
        #expect(shelf.host.warnings.isEmpty)
        #expect(try shelf.titles() == ["A", "B", "C"])
        #expect(try shelf.delete(["a.epub"]).rows.map(\.outcome) == [.deleted])
    }

    @Test("A Books that cannot be opened at all is a failure, not an empty library")
    func all() throws {
        try fill()
        shelf.host.fault = { $0 == "list" && $1 == "/Books" ? .accessRefused : nil }
        #expect(throws: OverlayError.self) { try shelf.titles() }
    }

    @Test(
        "A part of a book that could not be read now is read at the next listing",
        arguments: ["/Books/b.epub/META-INF/container.xml", "/Books/b.epub/OEBPS/b.opf"])
    func again(path: String) throws {
        try fill()
        shelf.host.fault = { $0 == "read_many" && $1 == path ? .deviceIO : nil }
        _ = try shelf.titles()
        shelf.host.fault = { _, _ in nil }
        #expect(try shelf.titles().contains("B"))
    }

    @Test("A cover that could not be read now is there at the next listing")
    func coverAgain() throws {
        shelf.unpacked("b.epub", title: "B")
        let path = "/Books/b.epub/iTunesArtwork"
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 40)
        shelf.host.files[path] = .init(bytes: jpeg, modified: 1, created: 1)
        func cover() throws -> UInt64? {
            var size: UInt64?
            try shelf.overlay().books(BooksOptions()) { size = $0.coverSize }
            return size
        }
        shelf.host.fault = { $0 == "read_many" && $1 == path ? .deviceIO : nil }
        #expect(try cover() == nil)
        shelf.host.fault = { _, _ in nil }
        #expect(try cover() == UInt64(jpeg.count))
    }

    @Test("Only the package document that is rewritten within its folder is read again")
    func rewritten() throws {
        shelf.unpacked("b.epub", title: "Old")
        shelf.unpacked("c.epub", title: "C")
        #expect(try shelf.titles() == ["Old", "C"])
        let path = "/Books/b.epub/OEBPS/b.opf"
        let old = try #require(shelf.host.files[path])
        shelf.host.files[path] = .init(
            bytes: Array(String(decoding: old.bytes, as: UTF8.self).replacing("Old", with: "New").utf8),
            modified: old.modified + 1, created: old.created)
        shelf.host.resetCounts()
        #expect(try shelf.titles() == ["New", "C"])
        #expect(!shelf.host.operations.contains { $0.hasPrefix("read_many /Books/c.epub") })
    }

    @Test("Books in folders of their own are asked for in one call, however many there are")
    func deepBooks() throws {
        func calls(_ count: Int) throws -> Int {
            shelf.host.folders.insert("/Books/Deep")
            var entries: [PropertyList] = []
            for number in 0..<count {
                shelf.put("Deep/\(number).epub", "EPUB")
                entries.append(["Path": .string("Deep/\(number).epub"), "Name": .string("\(number)")])
            }
            try shelf.list("Books.plist", entries)
            shelf.host.resetCounts()
            #expect(try BooksLibraryReader(host: shelf.host.services()).library().items.count == count)
            return shelf.host.calls
        }
        #expect(try calls(3) == calls(300))
    }

    @Test("Each book is looked at once, however many entries are looked for by their ids")
    func byID() {
        var looks = 0
        let items = (0..<1000).lazy.compactMap { number -> BooksLibrary.Item? in
            looks += 1
            guard let path = SafePath("\(number).epub") else { return nil }
            let entry = BookEntry(["Persistent ID": .string("id\(number % 999)")])
            return BooksLibrary.Item(
                path: path, entry: entry, format: .epub, info: FileInfo(name: path.name, kind: .regular))
        }
        let byID = BooksByID(items)
        #expect((1..<999).allSatisfy { (number: Int) in byID.only("ID\(number)") == number })
        // Two entries have this id.
        #expect(byID.only("id0") == nil)
        #expect(byID.only("else") == nil)
        #expect(byID.only(nil) == nil)
        #expect(looks == 1000)
    }
}

extension BooksShelf {
    /// A book that was unpacked into a folder.
    func unpacked(_ path: String, title: String) {
        let stem = path.prefix { $0 != "." }
        for folder in ["", "/META-INF", "/OEBPS"] { host.folders.insert("/Books/\(path)\(folder)") }
        put(
            path + "/META-INF/container.xml",
            "<container><rootfiles><rootfile full-path=\"OEBPS/\(stem).opf\"/></rootfiles></container>")
        put(path + "/OEBPS/\(stem).opf", "<package>\nTitle: \(title)\n</package>")
    }
}
