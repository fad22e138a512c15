import BookFolders
import OverlayKitTesting
import OverlayKit
import Testing

@Suite("A file on the device that cannot be read is not taken for another book")
struct UnreadableFileTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    private static let statuses: [OverlayStatus] = [.failed, .accessRefused, .deviceIO]

    @Test("A file of the same size fails the item, and nothing is added", arguments: statuses)
    func sameSize(status: OverlayStatus) throws {
        host.put("There.epub", bookText("Emma"))
        host.fault = { operation, _ in operation == "read_many" ? status : nil }
        let (rows, _) = try bench.upload([host.item("a.epub", bookText("Emma"), title: "Emma")])
        #expect(rows.map(\.status) == [status])
        #expect(host.documents == ["There.epub"])
        host.fault = { _, _ in nil }
        let (again, _) = try bench.upload([host.item("a.epub", bookText("Emma"), title: "Emma")])
        #expect(again.map(\.path) == ["There.epub"])
    }

    @Test("A file of the same name fails the item, and nothing is added", arguments: statuses)
    func sameName(status: OverlayStatus) throws {
        host.put("Emma.epub", bookText("Emma", ["Jane Austen"]))
        host.fault = { operation, _ in operation == "metadata" ? status : nil }
        let item = host.item(
            "a.epub", bookText("Emma", ["Jane Austen"], filler: "new"), title: "Emma",
            authors: ["Jane Austen"])
        for policy in [ConflictPolicy.protect, .update, .replace] {
            let (rows, _) = try bench.upload([item], UploadOptions(onConflict: policy))
            #expect(rows.map(\.status) == [status])
        }
        #expect(host.documents == ["Emma.epub"])
    }

    @Test("A single failure is retried", arguments: ["read_many", "metadata"])
    func once(operation: String) throws {
        host.put("Emma.epub", bookText("Emma", ["Jane Austen"]))
        var failures = 0
        host.fault = { name, _ in
            guard name == operation, failures == 0 else { return nil }
            failures += 1
            return .deviceIO
        }
        let filler = operation == "metadata" ? "n" : "x"
        let item = host.item(
            "a.epub", bookText("Emma", ["Jane Austen"], filler: filler), title: "Emma",
            authors: ["Jane Austen"])
        let (rows, _) = try bench.upload([item])
        #expect(failures == 1)
        #expect(rows.map(\.outcome) == [.skipped] && rows.map(\.path) == ["Emma.epub"])
    }
}

@Suite("An upload by title looks in all folders")
struct OtherFolderTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    private func edition(_ filler: String) -> UploadItem {
        host.item(
            "n.epub", bookText("Emma", ["Jane Austen"], filler: filler), title: "Emma",
            authors: ["Jane Austen"])
    }

    @Test("A book with other content is found in another folder, left alone, updated or replaced there")
    func found() throws {
        host.put("Old/Emma.epub", bookText("Emma", ["Jane Austen"], filler: "old"))
        for (policy, outcome) in [
            (ConflictPolicy.protect, Outcome.skipped), (.update, .updated), (.replace, .replaced),
        ] {
            let (rows, _) = try bench.upload(
                [edition(policy == .update ? "u" : "r")],
                UploadOptions(onConflict: policy, collections: ["New"]))
            #expect(rows.map(\.outcome) == [outcome] && rows.map(\.path) == ["Old/Emma.epub"])
            #expect(rows[0].message?.hasSuffix("The book stays in 'Old' and was not moved to 'New'.") == true)
        }
        #expect(host.documents == ["Old/Emma.epub"])
    }

    @Test("The book in the requested folder counts, and none of several elsewhere is chosen")
    func several() throws {
        for folder in ["A", "B"] {
            host.put("\(folder)/Emma.epub", bookText("Emma", ["Jane Austen"], filler: folder))
        }
        let (rows, _) = try bench.upload(
            [edition("n")], UploadOptions(onConflict: .replace, collections: ["b"]))
        #expect(rows.map(\.path) == ["B/Emma.epub"] && rows.map(\.outcome) == [.replaced])
        let (none, _) = try bench.upload([edition("m")], UploadOptions(onConflict: .replace))
        #expect(none.map(\.status) == [.invalidArgument])
        #expect(try bench.upload([edition("m")]).rows.map(\.outcome) == [.skipped])
        #expect(host.documents == ["A/Emma.epub", "B/Emma.epub"])
    }

    @Test("An edition under a numbered name is found, and not added once more")
    func numbered() throws {
        host.put("Emma.epub", bookText("Emma", ["Kate Hammer"]))
        _ = try bench.upload([edition("one")])
        let (rows, _) = try bench.upload([edition("two")], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.outcome) == [.replaced] && rows.map(\.path) == ["Emma (2).epub"])
        #expect(host.documents == ["Emma (2).epub", "Emma.epub"])
    }

    @Test("Another author's book of that title in another folder is another book")
    func otherAuthor() throws {
        host.put("Old/Emma.epub", bookText("Emma", ["Kate Hammer"], filler: "old"))
        let (rows, _) = try bench.upload([edition("n")], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.outcome) == [.added])
    }

    @Test("A corrected title replaces the book that was sent with the same uuid")
    func correctedTitle() throws {
        var (old, new) = (edition("old"), edition("new"))
        (old.book.uuid, new.book.uuid) = ("5A7C1B2E-0000-4000-8000-000000000001", old.book.uuid)
        old.book.title = "Ema"
        new.book.uuid = old.book.uuid?.lowercased()
        _ = try bench.upload([old])
        let (rows, _) = try bench.upload([new], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.outcome) == [.replaced] && rows.map(\.path) == ["Ema.epub"])
    }
}
