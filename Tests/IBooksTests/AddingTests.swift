import OverlayKitTesting
import OverlayKit
import PropertyLists
import Testing

@testable import iBooks

@Suite("Books are added to Books and replaced without ever being missing")
struct AddingTests {
    private let shelf = BooksShelf()
    private let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 40)

    @Test("Punctuation distinguishes titles such as “C” and “C++”, but case and spaces do not")
    func titles() throws {
        try shelf.place("C.epub", "C", "K & R", id: "1111111111111111", "EPUB c")
        let (rows, _) = try shelf.upload([
            shelf.epub("cpp", "C++", "K & R"), shelf.epub("c", " c ", "K & R"), shelf.epub("d", "C", "Other"),
        ])
        #expect(rows.map(\.outcome) == [.added, .skipped, .added])
        #expect(rows[1].path == "C.epub")
    }

    @Test("None of several books with the same title and authors is chosen")
    func several() throws {
        try shelf.place("1.epub", "Emma", "Jane Austen", id: "1111111111111111", "EPUB 1")
        try shelf.place("2.epub", "Emma", "Jane Austen", id: "2222222222222222", "EPUB 2")
        let item = shelf.epub("x", "Emma", "Jane Austen")
        #expect(try shelf.upload([item]).rows.map(\.outcome) == [.skipped])
        let (rows, _) = try shelf.upload([item], .replace)
        #expect(rows.map(\.status) == [.invalidArgument])
        #expect(shelf.books == ["1.epub", "2.epub"])
    }

    @Test("A book that is replaced stays complete until the list names the new one, and is then removed")
    func replaced() throws {
        try shelf.place("Emma.epub", "Emma", "Jane Austen", id: "ABCDEF0123456789", "EPUB old")
        try shelf.list("Sync/Books.plist", try shelf.entries("Books.plist"))
        shelf.put("Sync/Artwork/ABCDEF0123456789", "old cover")
        var seen: [String] = []
        shelf.host.before = { [unowned shelf] operation, path in
            guard ["push", "write", "rename", "remove"].contains(operation),
                !path.contains("overlayhost-"), operation != "write" || !path.hasSuffix(".new")
            else { return }
            seen.append("\(operation) \(path)")
            // Until both lists have changed, the old book and its cover are unchanged.
            if path.hasSuffix("Books.plist") || operation == "push" {
                #expect(shelf.content("Emma.epub") == "EPUB old")
                #expect(shelf.content("Sync/Artwork/ABCDEF0123456789") == "old cover")
            }
        }
        let (rows, error) = try shelf.upload(
            [shelf.epub("new", "Emma", "Jane Austen", cover: jpeg)], .replace)
        #expect(error == nil)
        #expect(rows.map(\.outcome) == [.replaced])
        let path = try #require(rows[0].path)
        #expect(path != "Emma.epub")
        #expect(
            seen == [
                "push /Books/\(path)",
                "rename /Books/Sync/Books.plist.overlayhost.new /Books/Sync/Books.plist",
                "rename /Books/Books.plist.overlayhost.new /Books/Books.plist",
                "write /Books/Sync/Artwork/ABCDEF0123456789", "remove /Books/Emma.epub",
            ])
        for list in ["Books.plist", "Sync/Books.plist"] {
            #expect(try shelf.entries(list).map { $0["Path"]?.string } == [path])
            #expect(try shelf.entries(list).map { $0["Persistent ID"]?.string } == ["ABCDEF0123456789"])
        }
        #expect(shelf.books == [path, "Sync/Artwork/ABCDEF0123456789"].sorted())
    }

    @Test(
        "A replacement that fails leaves the old book, its cover and all lists",
        arguments: ["push", "write", "rename"])
    func failedReplacement(step: String) throws {
        try shelf.place("Emma.epub", "Emma", "A", id: "ABCDEF0123456789", "EPUB old")
        shelf.put("Sync/Artwork/ABCDEF0123456789", "old cover")
        let before = try shelf.entries("Books.plist")
        shelf.host.fault = { operation, path in
            operation == step && (step == "push" || path.contains("Books.plist.overlayhost.new"))
                ? .deviceIO : nil
        }
        let (rows, _) = try shelf.upload([shelf.epub("new", "Emma", cover: jpeg)], .replace)
        #expect(rows.map(\.outcome) == [.failed])
        #expect(try shelf.entries("Books.plist") == before)
        #expect(shelf.books == ["Emma.epub", "Sync/Artwork/ABCDEF0123456789"])
        #expect(shelf.content("Sync/Artwork/ABCDEF0123456789") == "old cover")
    }

    @Test("A new book that does not get into any list is withdrawn with its cover")
    func withdrawn() throws {
        shelf.host.fault = { operation, path in
            operation == "rename" && path.hasSuffix(" /Books/Books.plist") ? .deviceIO : nil
        }
        let (rows, _) = try shelf.upload([shelf.epub("new", "Emma", cover: jpeg)])
        #expect(rows.map(\.outcome) == [.failed])
        #expect(shelf.books.isEmpty)
        #expect(!shelf.isUnfinished)
        #expect(!shelf.host.files.keys.contains { $0.hasSuffix(".new") })
    }

    @Test("A book that is listed after all is not withdrawn")
    func namedMeanwhile() throws {
        let item = shelf.epub("new", "Emma")
        var isDone = false
        shelf.host.fault = { [unowned shelf] operation, path in
            guard operation == "rename", path.hasSuffix(" /Books/Books.plist"), !isDone else { return nil }
            isDone = true
            // Books itself imports the file and writes its list.
            do {
                try shelf.list("Books.plist", [["Path": .string(shelf.path(item) + ".epub")]])
            } catch { Issue.record(error) }
            return .deviceIO
        }
        #expect(try shelf.upload([item]).rows.map(\.outcome) == [.failed])
        #expect(shelf.books == [shelf.path(item) + ".epub"])
        _ = try shelf.upload([shelf.epub("other", "Other")])
        #expect(shelf.books.count == 2)
    }

    @Test("A book whose file does not stay on the device is not listed, and does not count as added")
    func vanished() throws {
        let items = [shelf.epub("one", "One"), shelf.epub("two", "Two")]
        shelf.host.before = { [unowned shelf] operation, path in
            guard operation == "push", path.contains(shelf.path(items[1])) else { return }
            shelf.host.files["/Books/" + shelf.path(items[0]) + ".epub"] = nil
        }
        let (rows, error) = try shelf.upload(items)
        #expect(error == nil)
        #expect(rows.map(\.status) == [.verificationFailed, .ok])
        #expect(try shelf.entries("Books.plist").count == 1)
        #expect(!shelf.isUnfinished)
    }

    @Test("Leftovers of one batch are removed by the next command, however many batches follow")
    func leftOfABatch() throws {
        try shelf.place("Emma.epub", "Emma", "A", id: "ABCDEF0123456789", "EPUB old")
        shelf.host.fault = { operation, path in
            operation == "remove" && path == "/Books/Emma.epub" ? .deviceIO : nil
        }
        let items = [shelf.epub("new", "Emma")] + (0..<30).map { shelf.epub("book\($0)", "Title \($0)") }
        #expect(try shelf.upload(items, .replace).rows.allSatisfy { $0.outcome != .failed })
        #expect(shelf.books.contains("Emma.epub"))
        shelf.host.fault = { _, _ in nil }
        _ = try shelf.upload([shelf.epub("new", "Emma")])
        #expect(!shelf.books.contains("Emma.epub"))
        #expect(!shelf.isUnfinished)
    }

    @Test("A file that a later batch takes over stays noted until a list names it")
    func strayOfALaterBatch() throws {
        let items = (0..<26).map { shelf.epub("book\($0)", "Title \($0)") }
        // Interrupted after the last one has arrived, and again within the first batch.
        shelf.host.before = { [unowned shelf] operation, path in
            if operation == "rename", path.hasSuffix(" /Books/Books.plist") { shelf.host.isCancelled = true }
        }
        _ = try shelf.upload([items[25]])
        #expect(shelf.books.count == 1)
        shelf.host.isCancelled = false
        shelf.host.before = { [unowned shelf] operation, path in
            if operation == "push", path.contains(shelf.path(items[3])) { shelf.host.isCancelled = true }
        }
        _ = try shelf.upload(items)
        shelf.host.isCancelled = false
        shelf.host.before = { _, _ in }
        _ = try shelf.upload([shelf.epub("other", "Other")])
        #expect(try shelf.titles() == ["Other"])
        #expect(!shelf.isUnfinished)
    }

    @Test("An upload that is broken off is finished by the same command, which takes over what has arrived")
    func adopted() throws {
        let items = ["one", "two", "three"].map { shelf.epub($0, $0) }
        shelf.host.before = { [unowned shelf] operation, path in
            if operation == "push", path.contains(shelf.path(items[2])) { shelf.host.isCancelled = true }
        }
        let (first, error) = try shelf.upload(items)
        #expect(error?.status == .cancelled)
        #expect(first.map(\.outcome) == [.failed, .failed, .failed])
        #expect(shelf.books.count == 2)
        shelf.host.endMethods()
        shelf.host.resetCounts()
        let (rows, _) = try shelf.upload(items)
        #expect(rows.map(\.outcome) == [.added, .added, .added])
        #expect(shelf.host.operations.filter { $0.hasPrefix("push") }.count == 1)
        #expect(rows[0].message?.contains("already") == true)
        #expect(shelf.books.count == 3)
        #expect(try shelf.titles() == ["one", "two", "three"])
    }

    @Test("Leftovers of an interrupted command that are not needed are removed by the next one")
    func swept() throws {
        let items = ["one", "two"].map { shelf.epub($0, $0) }
        shelf.host.before = { [unowned shelf] operation, path in
            if operation == "push", path.contains(shelf.path(items[1])) { shelf.host.isCancelled = true }
        }
        _ = try shelf.upload(items)
        #expect(shelf.books.count == 1)
        shelf.host.endMethods()
        shelf.put("mine.epub", "EPUB of somebody else")
        _ = try shelf.upload([shelf.epub("other", "Other")])
        #expect(try shelf.titles() == ["Other", "mine"])
        #expect(shelf.books.count == 2)
    }

    @Test("An old book that could not be removed goes with the next command")
    func sweptOld() throws {
        try shelf.place("Emma.epub", "Emma", "A", id: "ABCDEF0123456789", "EPUB old")
        shelf.host.fault = { operation, path in
            operation == "remove" && path == "/Books/Emma.epub" ? .deviceIO : nil
        }
        let (rows, _) = try shelf.upload([shelf.epub("new", "Emma")], .replace)
        #expect(rows.map(\.outcome) == [.replaced])
        #expect(rows[0].message?.contains("Cannot remove the old book") == true)
        #expect(shelf.books.contains("Emma.epub"))
        shelf.host.fault = { _, _ in nil }
        _ = try shelf.upload([shelf.epub("new", "Emma")])
        #expect(!shelf.books.contains("Emma.epub"))
    }

    @Test("A command makes one copy of each list, and the very first copy is never removed")
    func copies() throws {
        try shelf.place("Emma.epub", "Emma", "A", id: "ABCDEF0123456789", "EPUB old")
        let original = shelf.host.files["/Books/Books.plist"]?.bytes
        let many = (0..<60).map { shelf.epub("book\($0)", "Title \($0)") }
        #expect(try shelf.upload(many).rows.allSatisfy { $0.outcome == .added })
        #expect(shelf.copies("Books.plist").count == 1)
        for number in 0..<9 { _ = try shelf.upload([shelf.epub("x\(number)", "X\(number)")]) }
        let copies = shelf.copies("Books.plist")
        #expect(copies.count == 6)
        #expect(copies.first.flatMap { shelf.host.files[$0]?.bytes } == original)
    }

    @Test("Two equal files in one upload fail together, or the second is skipped", arguments: [true, false])
    func equalFiles(fails: Bool) throws {
        if fails { shelf.host.fault = { operation, _ in operation == "push" ? .noSpace : nil } }
        let (rows, _) = try shelf.upload([shelf.epub("one", "One"), shelf.epub("one", "One")])
        #expect(rows.map(\.outcome) == (fails ? [.failed, .failed] : [.added, .skipped]))
    }
}

extension BooksShelf {
    /// The beginning of the name of an item.
    func path(_ item: UploadItem) -> String { PersistentID.of(uuid: item.book.uuid) ?? "?" }
}
