import BookFolders
import OverlayKitTesting
import OverlayKit
import Testing
import UploadPlanning

@Suite("Editions of a book have the same result in one upload as in two")
struct EditionTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    private func edition(_ text: String, authors: [String]? = ["Jane Austen"]) -> UploadItem {
        host.item(
            "\(text).epub", bookText("Emma", authors ?? [], filler: text), title: "Emma", authors: authors)
    }

    @Test("The later edition is not sent if existing books are protected, and its row says why")
    func protected() throws {
        let (rows, _) = try bench.upload([edition("one"), edition("two")])
        #expect(rows.map(\.outcome) == [.added, .skipped])
        #expect(rows.map(\.path) == ["Emma.epub", "Emma.epub"])
        #expect(rows[1].message == DuplicateMessages.earlier)
        #expect(host.content("Emma.epub")?.hasSuffix("one") == true)

        let (again, _) = try bench.upload([edition("two")])
        #expect(again.map(\.outcome) == [.skipped])
        #expect(
            again[0].message
                == "The book is already in Reader, with different content. Use --on-conflict replace to replace it."
        )
        let (same, _) = try bench.upload([edition("one")])
        #expect(same[0].message == "The book is already in Reader.")
        #expect(host.documents == ["Emma.epub"])
    }

    @Test(
        "The last edition is kept if existing books are replaced, and it is sent once",
        arguments: [ConflictPolicy.replace, .update], [false, true])
    func replaced(policy: ConflictPolicy, isThere: Bool) throws {
        if isThere { host.put("Emma.epub", bookText("Emma", ["Jane Austen"], filler: "zero")) }
        let items = [edition("one"), edition("two"), edition("three")]
        let (rows, _) = try bench.upload(items, UploadOptions(onConflict: policy))
        let outcome: Outcome = isThere ? (policy == .update ? .updated : .replaced) : .added
        #expect(rows.map(\.outcome) == [.skipped, .skipped, outcome])
        #expect(rows.map(\.path) == ["Emma.epub", "Emma.epub", "Emma.epub"])
        #expect(rows[0].message == DuplicateMessages.later)
        #expect(host.operations.filter { $0.hasPrefix("push") }.count == 1)
        #expect(host.content("Emma.epub")?.hasSuffix("three") == true)
        for item in items { _ = try bench.upload([item], UploadOptions(onConflict: policy)) }
        #expect(host.documents == ["Emma.epub"])
        #expect(host.content("Emma.epub")?.hasSuffix("three") == true)
    }

    @Test(
        "After a book, another edition and the same book again, the app has the book",
        arguments: [ConflictPolicy.replace, .update], ["", "zero", "one"])
    func thereAndBack(policy: ConflictPolicy, present: String) throws {
        if !present.isEmpty { host.put("Emma.epub", bookText("Emma", ["Jane Austen"], filler: present)) }
        let items = [edition("one"), edition("two"), edition("one")]
        let (rows, _) = try bench.upload(items, UploadOptions(onConflict: policy))
        let outcome: Outcome = present.isEmpty ? .added : policy == .update ? .updated : .replaced
        // Of a book whose content exists, only the metadata are new.
        let isNoted = present == "one"
        #expect(rows.map(\.outcome) == [isNoted ? .updated : .skipped, .skipped, outcome])
        #expect(host.documents == ["Emma.epub"])
        #expect(host.content("Emma.epub")?.hasSuffix("one") == true)
    }

    @Test("An edition that comes after one whose file cannot be moved takes no other file's place")
    func unmoved() throws {
        host.put("Drafts/Emma.epub", bookText("Mine"))
        host.put("Old/Emma.epub", bookText("Emma", ["Jane Austen"], filler: "one"))
        bench.options.ignoredFolders = ["Drafts"]
        let (rows, _) = try bench.upload(
            [edition("one"), edition("two")],
            UploadOptions(onConflict: .replace, collections: ["Drafts"]))
        #expect(rows.map(\.status) == [.alreadyExists, .alreadyExists])
        #expect(host.content("Drafts/Emma.epub") == bookText("Mine"))
        #expect(host.content("Old/Emma.epub")?.hasSuffix("one") == true)
    }

    @Test(
        "An edition is added where its name is free, and replaces the file that was moved",
        arguments: [true, false])
    func moved(isMoved: Bool) throws {
        host.put("Old/Emma.epub", bookText("Emma", ["Jane Austen"], filler: "one"))
        host.fault = { operation, _ in operation == "rename" && !isMoved ? .deviceIO : nil }
        let (rows, _) = try bench.upload(
            [edition("one"), edition("two")], UploadOptions(onConflict: .replace, collections: ["New"]))
        #expect(rows.map(\.outcome) == (isMoved ? [.updated, .replaced] : [.failed, .added]))
        #expect(host.documents == (isMoved ? ["New/Emma.epub"] : ["New/Emma.epub", "Old/Emma.epub"]))
        #expect(host.content("New/Emma.epub")?.hasSuffix("two") == true)
    }

    @Test("An edition that is replaced by a later one fails if the later one fails")
    func failed() throws {
        host.fault = { operation, _ in operation == "push" ? .noSpace : nil }
        let (rows, _) = try bench.upload(
            [edition("one"), edition("two")], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.outcome) == [.failed, .failed])
        #expect(rows[0].message?.hasPrefix(DuplicateMessages.later) == true)
    }

    @Test(
        "Two books with only the title in common stay two books, and the row says so"
    )
    func titleAlone() throws {
        let items = [edition("one", authors: nil), edition("two", authors: nil)]
        let (rows, _) = try bench.upload(items)
        #expect(rows.map(\.path) == ["Emma.epub", "Emma (2).epub"])
        #expect(rows.map(\.message) == [nil, DuplicateMessages.sameTitle])
        let (later, _) = try bench.upload([edition("three")])
        #expect(later.map(\.path) == ["Emma (3).epub"])
        #expect(later[0].message == DuplicateMessages.sameTitle)
        // With replacement, the book with that title is meant.
        let (last, _) = try bench.upload(
            [edition("four", authors: nil)], UploadOptions(onConflict: .replace))
        #expect(last.map(\.path) == ["Emma.epub"])
        #expect(last.map(\.outcome) == [.replaced])
    }

    @Test(
        "A book in a second format is another file, in one upload as in two",
        arguments: [ConflictPolicy.protect, .replace, .update], [true, false])
    func formats(policy: ConflictPolicy, isOneUpload: Bool) throws {
        let items = ["epub", "pdf"].map { ending in
            var item = host.item(
                "Emma.\(ending)", bookText("Emma", ["Jane Austen"], filler: ending), title: "Emma",
                authors: ["Jane Austen"])
            item.book.uuid = "5a7c1b2e-0000-4000-8000-000000000001"
            return item
        }
        for batch in isOneUpload ? [items] : items.map({ [$0] }) {
            let (rows, _) = try bench.upload(batch, UploadOptions(onConflict: policy))
            #expect(rows.map(\.outcome) == batch.map { _ in .added })
        }
        #expect(host.documents == ["Emma.epub", "Emma.pdf"])
        #expect(host.content("Emma.epub")?.hasSuffix("epub") == true)
        #expect(host.content("Emma.pdf")?.hasSuffix("pdf") == true)
    }

    @Test("Titles that only make the same name are two books, also of one author")
    func sameName() throws {
        let (rows, _) = try bench.upload(
            [
                host.item("1.pdf", bookText("AC/DC", ["A"]), title: "AC/DC", authors: ["A"]),
                host.item("2.pdf", bookText("AC-DC", ["A"]), title: "AC-DC", authors: ["A"]),
            ], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.path) == ["AC-DC.pdf", "AC-DC (2).pdf"])
        let (again, _) = try bench.upload([
            host.item("3.pdf", bookText("AC-DC", ["A"], filler: "3"), title: "ac-dc", authors: ["A"])
        ])
        #expect(again.map(\.path) == ["AC-DC (2).pdf"] && again.map(\.outcome) == [.skipped])
    }

    @Test("The log names for each book the rule that decided")
    func explained() throws {
        _ = try bench.upload([edition("one")])
        _ = try bench.upload([edition("one"), edition("two")])
        #expect(
            host.log.filter { $0.contains("Reader") } == [
                "one.epub: not in Reader; no book has its content, its uuid, or its title and authors.",
                "one.epub: in Reader, because it has the same content.",
                "two.epub: in Reader, because it has the same title and authors.",
            ])
    }
}

@Suite("A collection whose name cannot be a folder name is saved under another name, and the row says so")
struct CollectionNameTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    @Test("Parts of a collection's name that lead elsewhere are left out")
    func parts() throws {
        let (rows, _) = try bench.upload(
            [host.item("1.pdf", "one", title: "One")], UploadOptions(collections: ["../../x"]))
        #expect(rows[0].path == "x/One.pdf")
        #expect(rows[0].message == "The collection '../../x' was saved as 'x'.")
        let changed = try bench.sync { $0[0].collections = ["./y:\tz"] }
        #expect(changed.map(\.path) == ["y: z/One.pdf"])
        #expect(changed[0].message == "The collection './y:\tz' was saved as 'y: z'.")
        let (plain, _) = try bench.upload(
            [host.item("2.pdf", "two", title: "Two")], UploadOptions(collections: ["y: z"]))
        #expect(plain[0].message == nil)
    }

    @Test("A collection's name with only such parts is refused", arguments: ["..", "../..", ". /"])
    func nothing(name: String) throws {
        let (rows, _) = try bench.upload(
            [host.item("1.pdf", "one", title: "One")], UploadOptions(collections: [name]))
        #expect(rows[0].status == .invalidArgument)
        #expect(host.documents.isEmpty)
    }

    @Test("A second collection is refused with the command that moves the book")
    func second() throws {
        host.put("A's/One.pdf", bookText("One"))
        let moved = try bench.sync { $0[0].collections = ["A's", "B"] }
        #expect(
            moved[0].hint
                == #"To move it: overlayhost collections --add B --remove 'A'\''s' 'A'\''s/One.pdf' --app Reader"#
        )
        let two = try bench.sync { $0[0].collections = ["B", "C"] }
        #expect(two[0].hint?.hasPrefix("Give one collection") == true)
    }
}
