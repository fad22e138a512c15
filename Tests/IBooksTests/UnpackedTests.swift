import Archives
import OverlayKitTesting
import OverlayKit
import PropertyLists
import Testing

@testable import iBooks

@Suite("A book that Books keeps unpacked stays unpacked")
struct UnpackedTests {
    private static let id = "ABCDEF0123456789"
    private static let lists = ["Sync/Books.plist", "Books.plist"]

    /// A library with a book that is a folder and is in two lists.
    private func shelf(hasAuthors: Bool = true) throws -> BooksShelf {
        let shelf = BooksShelf()
        shelf.unpacked("old.epub", title: "Emma")
        for list in Self.lists {
            var entry: [String: PropertyList] = [
                "Path": "old.epub", "Name": "Emma", "Persistent ID": .string(Self.id),
            ]
            if hasAuthors { entry["Artist"] = "A" }
            try shelf.list(list, [.dictionary(entry)])
        }
        return shelf
    }

    /// The folders of books below `/Books`, without their parts.
    private func folders(_ shelf: BooksShelf) -> [String] {
        shelf.host.folders.filter { $0.hasSuffix(".epub") }.map { String($0.dropFirst("/Books/".count)) }
            .sorted()
    }

    /// Checks that the only book is a folder with exactly these parts, and that all lists name it.
    private func requireWhole(
        _ shelf: BooksShelf, _ parts: [(String, String)], _ comment: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let names = folders(shelf)
        #expect(names.count == 1, comment, sourceLocation: sourceLocation)
        let name = try #require(names.first, comment, sourceLocation: sourceLocation)
        #expect(
            shelf.books == parts.map { name + "/" + $0.0 }.sorted(), comment, sourceLocation: sourceLocation)
        for (path, content) in parts {
            #expect(shelf.content(name + "/" + path) == content, comment, sourceLocation: sourceLocation)
        }
        for list in Self.lists {
            #expect(
                try shelf.entries(list).map { $0["Path"]?.string } == [name], comment,
                sourceLocation: sourceLocation)
        }
        #expect(!shelf.isUnfinished, comment, sourceLocation: sourceLocation)
        return name
    }

    @Test("A replacement unpacks the new book before a list names it, and then the old one goes")
    func replacement() throws {
        let shelf = try shelf()
        let old = shelf.books
        shelf.host.before = { [unowned shelf] operation, path in
            guard operation == "rename" || operation == "write" else { return }
            #expect(Set(shelf.books).isSuperset(of: old), "\(operation) \(path)")
            if operation == "rename", path.hasSuffix("/Books.plist") {
                #expect(shelf.books.count == old.count + BooksShelf.parts.count)
            }
        }
        let (rows, error) = try shelf.upload([try shelf.packed("new", "Emma")], .replace)
        #expect(error == nil)
        #expect(rows.map(\.outcome) == [.replaced])
        let name = try requireWhole(shelf, BooksShelf.parts, "replaced")
        #expect(rows.map(\.path) == [name])
        #expect(try shelf.titles() == ["Emma"])
    }

    @Test(
        "A replacement that is cut off at any request is finished or undone by the next command",
        arguments: Interruption.allCases, [true, false])
    func interrupted(cut: Interruption, uploads: Bool) throws {
        for place in 1... {
            let shelf = try shelf()
            let item = try shelf.packed("new", "Emma")
            let wasCut = try shelf.interrupt(at: place, cut) { _ = try shelf.upload([item], .replace) }
            if uploads {
                #expect(try shelf.upload([item], .replace).rows.map(\.outcome) == [.replaced])
            } else {
                #expect(try shelf.titles() == ["Emma"], "request \(place)")
                let parts = shelf.books.contains("old.epub/OEBPS/old.opf") ? nil : BooksShelf.parts
                let old = [
                    "META-INF/container.xml", "OEBPS/old.opf",
                ].map { ($0, shelf.content("old.epub/" + $0) ?? "") }
                _ = try requireWhole(shelf, parts ?? old, "request \(place)")
                #expect(try shelf.upload([item], .replace).rows.map(\.status) == [.ok])
            }
            _ = try requireWhole(shelf, BooksShelf.parts, "the same upload after request \(place)")
            guard wasCut else {
                // Enough requests for every part and two lists.
                #expect(place > 15)
                return
            }
        }
    }

    @Test(
        "A replacement that fails leaves the old book as it was, and nothing of the new one",
        arguments: ["make_folder", "write", "rename", "short"])
    func failed(step: String) throws {
        let shelf = try shelf()
        let old = shelf.books
        let lists = try Self.lists.map { try shelf.entries($0) }
        shelf.host.fault = { operation, path in
            operation == step && path.hasPrefix("/Books/.overlayhost-new-") ? .deviceIO : nil
        }
        if step == "short" {
            shelf.host.before = { [unowned shelf] operation, path in
                guard operation == "list", path.hasSuffix("/\(Self.id).epub/OEBPS") else { return }
                shelf.host.files[path + "/new.opf"] = nil
            }
        }
        let (rows, error) = try shelf.upload([try shelf.packed("new", "Emma")], .replace)
        #expect(error == nil)
        #expect(rows.map(\.outcome) == [.failed])
        #expect(rows.map(\.path) == ["old.epub"])
        shelf.host.fault = { _, _ in nil }
        shelf.host.endMethods()
        #expect(try shelf.titles() == ["Emma"])
        #expect(shelf.books == old)
        #expect(folders(shelf) == ["old.epub"])
        #expect(try Self.lists.map { try shelf.entries($0) } == lists)
        #expect(!shelf.isUnfinished)
    }

    @Test(
        "An EPUB whose parts have names that lead elsewhere, or that are one file and one folder, is refused",
        arguments: ["OEBPS/../../../x", "/x", "OEBPS//x", "OEBPS/./x", "OEBPS\\x", "mimetype/x", "META-INF"])
    func names(_ name: String) throws {
        let shelf = try shelf()
        let old = shelf.books
        // As long as the name in an archive that it replaces.
        let stand = String(repeating: "N", count: name.utf8.count)
        var item = try shelf.packed("new", "Emma", BooksShelf.parts + [(stand, "content")])
        let bytes = try #require(shelf.host.lent[item.file.rawValue]?.bytes)
        item.file = shelf.host.lend("new.epub", bytes.replacing(Array(stand.utf8), with: Array(name.utf8)))
        let (rows, error) = try shelf.upload([item], .replace)
        #expect(error == nil)
        #expect(rows.map(\.status) == [.damaged])
        #expect(shelf.books == old)
        #expect(!shelf.host.operations.contains { $0.hasPrefix("write") || $0.hasPrefix("make_folder") })
    }

    @Test("A part that is not what its archive declares is not sent, and the old book stays")
    func damagedPart() throws {
        let shelf = try shelf()
        let old = shelf.books
        var item = try shelf.packed("new", "Emma")
        let bytes = try #require(shelf.host.lent[item.file.rawValue]?.bytes)
        item.file = shelf.host.lend(
            "new.epub", bytes.replacing(Array("chapter".utf8), with: Array("CHAPTER".utf8)))
        #expect(try shelf.upload([item], .replace).rows.map(\.status) == [.damaged])
        #expect(shelf.books == old)
        #expect(!shelf.isUnfinished)
    }

    @Test("The upload of a book that does not fit unpacked is not started")
    func space() throws {
        let shelf = try shelf()
        let zeros = String(repeating: "0", count: 1 << 20)
        let item = try shelf.packed("new", "Emma", BooksShelf.parts + [("zeros", zeros)])
        shelf.host.freeBytes = 1 << 20
        #expect(try shelf.upload([item], .replace).error?.status == .noSpace)
        #expect(!shelf.host.operations.contains { $0.hasPrefix("write") })
    }

    @Test("A get leaves the folder as it was, and the same upload adds and packs nothing")
    func fetched() throws {
        let shelf = try shelf()
        let before = shelf.books.map { shelf.content($0) }
        shelf.host.resetCounts()
        var bytes: [UInt8] = []
        try shelf.overlay().getFile("old.epub") { chunk, _, _ in bytes.append(contentsOf: chunk) }
        #expect(bytes.dropFirst(30).starts(with: "mimetypeapplication/epub+zip".utf8))
        let changes = ["write", "push", "rename", "remove", "make_folder"]
        #expect(!shelf.host.operations.contains { operation in changes.contains { operation.hasPrefix($0) } })
        var item = try shelf.packed("fetched", "Emma")
        item.file = shelf.host.lend("fetched.epub", bytes)
        let rows = try shelf.upload([item]).rows
        #expect(rows.map(\.outcome) == [.skipped])
        #expect(rows.map(\.path) == ["old.epub"])
        #expect(shelf.books.map { shelf.content($0) } == before)
    }

    @Test(
        "A fetched book is recognised as the same by its parts, without authors and where books are replaced",
        arguments: [true, false], [ConflictPolicy.protect, .replace])
    func sameParts(hasAuthors: Bool, policy: ConflictPolicy) throws {
        let shelf = try shelf(hasAuthors: hasAuthors)
        shelf.put("old.epub/iTunesMetadata.plist", "<plist/>")
        let before = shelf.books
        var item = try shelf.packed("fetched", "Emma", try fetched(shelf))
        if !hasAuthors { item.book.authors = nil }
        let rows = try shelf.upload([item], policy).rows
        #expect(rows.map(\.outcome) == [.skipped])
        #expect(rows.map(\.path) == ["old.epub"])
        #expect(shelf.books == before)
    }

    @Test("A book whose parts differ is another edition, also after the very book that is there")
    func otherParts() throws {
        let shelf = try shelf()
        var other = try fetched(shelf)
        other[2].1 = other[2].1.replacing("Emma", with: "emma")
        let items = [
            try shelf.packed("fetched", "Emma", try fetched(shelf)), try shelf.packed("other", "Emma", other),
        ]
        let (rows, error) = try shelf.upload(items, .replace)
        #expect(error == nil)
        #expect(rows.map(\.outcome) == [.skipped, .replaced])
        _ = try requireWhole(shelf, other, "replaced")
    }

    /// The parts of the existing book.
    private func fetched(_ shelf: BooksShelf) throws -> [(String, String)] {
        [BooksShelf.parts[0]]
            + ["META-INF/container.xml", "OEBPS/old.opf"].map { ($0, shelf.content("old.epub/" + $0) ?? "") }
    }
}

extension BooksShelf {
    /// The parts of a new book.
    static let parts = [
        ("mimetype", "application/epub+zip"),
        (
            "META-INF/container.xml",
            "<container><rootfiles><rootfile full-path=\"OEBPS/new.opf\"/></rootfiles></container>"
        ),
        ("OEBPS/new.opf", "<package>\nTitle: Emma\n</package>"), ("OEBPS/text/1.xhtml", "chapter one"),
        ("OEBPS/text/2.xhtml", ""),
    ]

    /// An EPUB to add, as an archive of these parts.
    func packed(
        _ name: String, _ title: String, _ parts: [(String, String)] = BooksShelf.parts
    ) throws -> UploadItem {
        let writer = ZipWriter()
        var bytes: [UInt8] = []
        for (path, content) in parts {
            let compression: ZipWriter.Compression = content.utf8.count > 1000 ? .deflated : .stored
            bytes += try writer.add(path, Array(content.utf8), compression)
        }
        bytes += try writer.finish()
        var item = epub(name, title)
        item.file = host.lend(name + ".epub", bytes)
        return item
    }
}
