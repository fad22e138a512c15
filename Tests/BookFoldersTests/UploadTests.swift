import BookFolders
import OverlayABI
import OverlayKitTesting
import OverlayKit
import Testing

@Suite("Books are added whole, under names of their own")
struct UploadTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    @Test("A book goes to the shared folder under its title, or into the folder of its collection")
    func added() throws {
        let (rows, error) = try bench.upload([host.item("x.EPUB", "one", title: "Emma")])
        #expect(error == nil)
        #expect(rows[0].outcome == .added)
        #expect(rows[0].path == "Emma.epub")
        let (more, _) = try bench.upload(
            [host.item("y.pdf", "two", title: "Faust")], UploadOptions(collections: ["Drama/German"]))
        #expect(more[0].path == "Drama/German/Faust.pdf")
        #expect(try bench.books().map(\.collections) == [["Drama/German"], []])
    }

    @Test(
        "The metadata of a sent book is read on the host, so the next listing reads no part of it on the device"
    )
    func readOnce() throws {
        _ = try bench.upload([host.item("x.pdf", bookText("Emma", ["Jane Austen"]))])
        host.resetCounts()
        let books = try bench.books()
        #expect(books.map(\.title) == ["Emma"] && books.map(\.authors) == [["Jane Austen"]])
        #expect(host.bytesRead == 0)
        #expect(!host.operations.contains { $0.hasPrefix("read") || $0.hasPrefix("metadata") })
    }

    @Test(
        "The name of the host's file does not become the title of a book without one",
        arguments: ["my scan", "my  scan"])
    func untitled(name: String) throws {
        _ = try bench.upload([host.item(name + ".pdf", bookText(nil), title: "Emma")])
        // Without the notes, only what was read counts.
        host.stored = host.stored.filter { $0.key.hasPrefix("\(OVL_STORAGE_CACHE) ") }
        #expect(try bench.books().map(\.title) == ["Emma"])
    }

    @Test("A book that cannot be read on the host is sent, and examined by the next listing")
    func unreadable() throws {
        var item = host.item("x.pdf", bookText("Emma"))
        item.file = host.lend("x.pdf", "BROKEN" + bookText("Emma"))
        #expect(try bench.upload([item]).rows.map(\.outcome) == [.added])
        host.resetCounts()
        #expect(try bench.books().map(\.title) == ["x"])
        #expect(host.operations.contains { $0.hasPrefix("metadata") })
    }

    /// Weakness 8 in docs/weaknesses.md.
    @Test("Books with equal titles, or with slashes in their titles, get unique file names")
    func collisions() throws {
        host.put("there.pdf", bookText("other", ["Somebody"]))
        let (rows, _) = try bench.upload([
            host.item("1.pdf", "one", title: "AC/DC"), host.item("2.pdf", "two2", title: "AC/DC"),
            host.item("3.pdf", "three", title: "../../etc/passwd"),
            host.item("4.pdf", "four44", title: "ac-dc"),
            host.item("5.pdf", bookText("x"), title: "There", authors: ["Somebody Else"]),
        ])
        #expect(
            rows.map(\.path) == [
                "AC-DC.pdf", "AC-DC (2).pdf", "etc-passwd.pdf", "ac-dc (3).pdf", "There (2).pdf",
            ])
        #expect(rows.allSatisfy { $0.outcome == .added })
        #expect(host.content("there.pdf") == bookText("other", ["Somebody"]))
    }

    @Test("The same content is not sent twice, in any folder and under any name")
    func sameContent() throws {
        host.put("Deep/Down/whatever.pdf", bookText("A"))
        let (rows, _) = try bench.upload([
            host.item("a.pdf", bookText("A"), title: "A"), host.item("b.pdf", bookText("A")),
        ])
        #expect(rows.map(\.outcome) == [.skipped, .skipped])
        #expect(rows[0].path == "Deep/Down/whatever.pdf")
        #expect(!host.operations.contains { $0.hasPrefix("push") })
    }

    @Test(
        "A file with the same content is not sent again; its row says whether what is known of the book is new",
        arguments: [ConflictPolicy.update, .replace])
    func nothingNew(_ policy: ConflictPolicy) throws {
        host.put("Deep/a.pdf", bookText("A"))
        func upload(_ publisher: String) throws -> ItemResult {
            var item = host.item("a.pdf", bookText("A"), title: "A")
            item.book.publisher = publisher
            let (rows, _) = try bench.upload([item], UploadOptions(onConflict: policy))
            return try #require(rows.first)
        }
        let first = try upload("One")
        #expect(first.outcome == .updated && first.path == "Deep/a.pdf")
        #expect(
            first.message
                == "The same file is already on the device; the book's metadata was updated.")
        let again = try upload("One")
        #expect(again.outcome == .skipped && again.path == "Deep/a.pdf")
        #expect(again.message == "The same file is already on the device.")
        #expect(try upload("Two").outcome == .updated)
        #expect(!host.operations.contains { $0.hasPrefix("push") })
    }

    @Test("A new book never overwrites a file that listings skip")
    func passedOver() throws {
        host.put("Drafts/Emma.epub", bookText("Mine"))
        bench.options.ignoredFolders = ["Drafts"]
        let (rows, _) = try bench.upload(
            [
                host.item("x.epub", bookText("Other"), title: "Emma"),
                host.item("y.epub", bookText("Y"), title: "Y"),
            ],
            UploadOptions(collections: ["Drafts"]))
        #expect(rows.map(\.outcome) == [.failed, .added])
        #expect(rows[0].status == .alreadyExists)
        #expect(host.content("Drafts/Emma.epub") == bookText("Mine"))
    }

    @Test("A book that replaces a file elsewhere never overwrites one that listings skip")
    func movedOver() throws {
        host.put("Drafts/Emma.epub", bookText("Mine"))
        host.put("Old/Emma.epub", bookText("Emma", filler: "old"))
        bench.options.ignoredFolders = ["Drafts"]
        let (rows, _) = try bench.upload(
            [host.item("x.epub", bookText("Emma", filler: "old"), title: "Emma")],
            UploadOptions(onConflict: .replace, collections: ["Drafts"]))
        #expect(rows.map(\.outcome) == [.failed])
        #expect(rows[0].status == .alreadyExists)
        #expect(host.content("Drafts/Emma.epub") == bookText("Mine"))
        #expect(host.content("Old/Emma.epub") == bookText("Emma", filler: "old"))
    }

    @Test(
        "A book whose file an earlier one of the same upload replaces is sent",
        arguments: [ConflictPolicy.update, .replace])
    func replacedBefore(_ policy: ConflictPolicy) throws {
        host.put("Emma.epub", bookText("Emma", filler: "b"))
        let (rows, _) = try bench.upload(
            [
                host.item("a.epub", bookText("A"), title: "Emma"),
                host.item("b.epub", bookText("Emma", filler: "b"), title: "Emma"),
            ],
            UploadOptions(onConflict: policy))
        #expect(rows.map(\.path) == ["Emma.epub", "Emma.epub"])
        #expect(rows.map(\.outcome) == [.skipped, policy == .update ? .updated : .replaced])
        #expect(host.content("Emma.epub") == bookText("Emma", filler: "b"))
    }

    @Test(
        "Another edition of a book is left alone, updated or replaced in its place, as asked",
        arguments: [
            (ConflictPolicy.protect, Outcome.skipped, "old"), (.update, .updated, "new"),
            (.replace, .replaced, "new"),
        ])
    func sameName(policy: ConflictPolicy, outcome: Outcome, filler: String) throws {
        host.put("A/Emma.epub", bookText("Emma", ["Jane Austen"], filler: "old"))
        let item = host.item(
            "n.epub", bookText("Emma", filler: "new"), title: "emma", authors: ["Austen, Jane"])
        let (rows, _) = try bench.upload([item], UploadOptions(onConflict: policy, collections: ["a"]))
        #expect(rows[0].outcome == outcome)
        #expect(rows[0].path == "A/Emma.epub")
        #expect(host.documents == ["A/Emma.epub"])
        #expect(host.content("A/Emma.epub")?.hasSuffix(filler) == true)
    }

    /// Weakness 5 in docs/weaknesses.md.
    @Test("A replacement that fails leaves the old book as it was")
    func failedReplacement() throws {
        host.put("Emma.epub", bookText("Emma", filler: "old"))
        host.fault = { operation, _ in operation == "push" ? .noSpace : nil }
        let (rows, _) = try bench.upload(
            [host.item("n.epub", bookText("Emma", filler: "new"), title: "Emma")],
            UploadOptions(onConflict: .replace))
        #expect(rows[0].outcome == .failed)
        #expect(rows[0].path == "Emma.epub")
        #expect(host.content("Emma.epub")?.hasSuffix("old") == true)
        #expect(!host.operations.contains { $0.hasPrefix("remove") || $0.hasPrefix("rename") })
    }

    /// Weakness 3 in docs/weaknesses.md.
    @Test("A failed copy gives a failed row, and is not recorded as sent")
    func failedCopy() throws {
        host.fault = { operation, path in operation == "push" && path.contains("Two") ? .deviceIO : nil }
        let (rows, error) = try bench.upload([
            host.item("1.pdf", "one", title: "One"), host.item("2.pdf", "two2", title: "Two"),
            host.item("3.pdf", "three", title: "Three"),
        ])
        #expect(error == nil)
        #expect(rows.map(\.status) == [.ok, .deviceIO, .ok])
        #expect(rows[1].path == nil)
        #expect(rows[1].hint != nil)
        #expect(try bench.books().map(\.title) == ["One", "Three"])
        #expect(!host.stored.values.contains { String(decoding: $0, as: UTF8.self).contains("Two") })
    }

    /// Weakness 6 in docs/weaknesses.md.
    @Test("Books that do not fit are refused before anything is sent, and the others are sent")
    func noSpace() throws {
        host.freeBytes = (2 << 20) + 100
        let (rows, _) = try bench.upload([
            host.item("1.pdf", String(repeating: "x", count: 200), title: "Big"),
            host.item("2.pdf", "small", title: "Small"),
        ])
        #expect(rows.map(\.status) == [.noSpace, .ok])
        #expect(host.documents == ["Small.pdf"])
    }

    @Test("A format that the app does not take, an empty file and two collections are refused in their rows")
    func refused() throws {
        bench.options.formats = BookFormats(["pdf"])
        var guessed = host.item("nothing", "%PDF", title: "Guessed")
        guessed.book.format = "application/pdf"
        let (rows, _) = try bench.upload([
            host.item("1.epub", "one"), host.item("2.pdf", ""), guessed,
        ])
        #expect(rows.map(\.status) == [.unsupportedFormat, .unsupportedFormat, .ok])
        #expect(rows[2].path == "Guessed.pdf")
        let (more, _) = try bench.upload(
            [host.item("3.pdf", "three")], UploadOptions(collections: ["A", "B"]))
        #expect(more[0].status == .invalidArgument)
        let (known, _) = try bench.upload([
            host.item("4.pdf", "four", title: "Four", collections: ["A", "B"])
        ])
        #expect(known[0].path == "A/Four.pdf")
        #expect(known[0].message?.contains("one folder") == true)
    }

    @Test(
        "A file whose content is not of the format of its name replaces no book, but is added as a new one",
        arguments: [ConflictPolicy.update, .replace])
    func mismatched(_ policy: ConflictPolicy) throws {
        host.put("Emma.epub", bookText("Emma", ["Jane Austen"]))
        func page(_ title: String, _ format: String) -> UploadItem {
            var item = host.item("x.epub", "page \(title) \(format)", title: title, authors: ["Jane Austen"])
            item.book.format = format
            return item
        }
        let wanted = UploadOptions(onConflict: policy)
        for format in ["text/html", "application/octet-stream", "application/zip"] {
            let (rows, _) = try bench.upload([page("Emma", format)], wanted)
            #expect(rows.map(\.status) == [.unsupportedFormat], "\(format)")
        }
        #expect(host.content("Emma.epub") == bookText("Emma", ["Jane Austen"]))
        let (added, _) = try bench.upload([page("Other", "text/html")], wanted)
        #expect(added.map(\.outcome) == [.added])
        let (replaced, _) = try bench.upload([page("Emma", "application/epub+zip; x=1")], wanted)
        #expect(replaced.map(\.outcome) == [policy == .update ? .updated : .replaced])
    }

    @Test("A cancel in the middle leaves a row for each item")
    func cancelled() throws {
        host.before = { [unowned host] operation, path in
            if operation == "push", path.contains("Two") { host.isCancelled = true }
        }
        let (rows, error) = try bench.upload([
            host.item("1.pdf", "one", title: "One"), host.item("2.pdf", "two2", title: "Two"),
            host.item("3.pdf", "three", title: "Three"),
        ])
        #expect(error?.status == .cancelled)
        #expect(rows.map(\.status) == [.ok, .cancelled, .cancelled])
        #expect(rows[1].message?.hasPrefix("The book was not sent.") == true)
        host.endMethods()
        let (again, _) = try bench.upload([
            host.item("1.pdf", "one", title: "One"), host.item("2.pdf", "two2", title: "Two"),
        ])
        #expect(again.map(\.outcome) == [.skipped, .added])
    }

    @Test("The host's values of a book are shown with it, also after it was moved")
    func noted() throws {
        _ = try bench.upload([
            host.item("1.pdf", bookText("Inner title"), title: "Known: Title", authors: ["Known Author"])
        ])
        host.move("Known: Title.pdf", to: "elsewhere/x.pdf")
        let book = try #require(try bench.books().first)
        #expect(book.title == "Known: Title")
        #expect(book.authors == ["Known Author"])
        #expect(book.uuid?.hasPrefix("uuid-of") == true)
    }

    @Test("A book without a title is named after its file, and collections of one name share a folder")
    func unnamed() throws {
        let (rows, _) = try bench.upload([
            host.item("my book.EPUB", "one", collections: ["Sci-Fi"]),
            host.item("other.pdf", "two2", collections: ["sci-fi/Old"]),
        ])
        #expect(rows.map(\.path) == ["Sci-Fi/my book.epub", "Sci-Fi/Old/other.pdf"])
    }

    @Test("A file in the place of a collection's folder is not written over")
    func fileInTheWay() throws {
        host.put("shelf", "a file")
        let (rows, _) = try bench.upload(
            [host.item("1.pdf", "one", title: "One")], UploadOptions(collections: ["Shelf"]))
        #expect(rows[0].status == .alreadyExists)
        #expect(host.documents == ["shelf"])
    }
}
