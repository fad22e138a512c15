import BookFolders
import OverlayKitTesting
import OverlayKit
import Testing

@Suite("An upload keeps existing contents, collections and edits of a person")
struct UploadPreservationTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    // MARK: - Content

    @Test("A file that only begins, ends and has the middle like another one is another book")
    func longAlike() throws {
        let there = longText(changedAt: 5_000)
        host.put("there.txt.pdf", there)
        let (rows, _) = try bench.upload([host.item("new.pdf", longText(changedAt: 9_000), title: "New")])
        #expect(rows[0].outcome == .added)
        #expect(host.content("New.pdf") == longText(changedAt: 9_000))
        let (same, _) = try bench.upload([host.item("same.pdf", there, title: "Same")])
        #expect(same[0].outcome == .skipped)
        #expect(same[0].path == "there.txt.pdf")
        let (two, _) = try bench.upload([
            host.item("3.pdf", longText(changedAt: 11_000), title: "Three"),
            host.item("4.pdf", longText(changedAt: 12_000), title: "Four"),
        ])
        #expect(two.map(\.outcome) == [.added, .added])
    }

    @Test("A file that was sent from here is recognised without reading it, and a comparison is made once")
    func comparedOnce() throws {
        let mine = longText(changedAt: 7_000)
        _ = try bench.upload([host.item("1.pdf", mine, title: "Mine")])
        host.resetCounts()
        #expect(try bench.upload([host.item("1.pdf", mine, title: "Mine")]).rows[0].outcome == .skipped)
        #expect(host.bytesRead == 0)
        let other = longText(changedAt: 8_000)
        host.put("other.pdf", other)
        _ = try bench.upload([host.item("2.pdf", other, title: "Other")])
        #expect(host.bytesRead > other.utf8.count)
        host.resetCounts()
        #expect(try bench.upload([host.item("2.pdf", other, title: "Other")]).rows[0].outcome == .skipped)
        #expect(host.bytesRead == 0)
    }

    @Test("Two equal files in one upload fail together, or the second is skipped", arguments: [true, false])
    func equalFiles(fails: Bool) throws {
        if fails { host.fault = { operation, _ in operation == "push" ? .deviceIO : nil } }
        let (rows, _) = try bench.upload([
            host.item("1.pdf", bookText("A"), title: "A"), host.item("2.pdf", bookText("A"), title: "A"),
        ])
        #expect(rows.map(\.outcome) == (fails ? [.failed, .failed] : [.added, .skipped]))
        if fails { #expect(rows[1].message?.contains("No luck") == true) }
    }

    // MARK: - Collections

    @Test(
        "A file that only moves into the collection that was asked for moves in one step, and its row says so"
    )
    func replacedIntoCollection() throws {
        host.put("Old/a.pdf", bookText("A"))
        let item = host.item("a.pdf", bookText("A"), title: "A")
        host.resetCounts()
        let (rows, _) = try bench.upload(
            [item], UploadOptions(onConflict: .replace, collections: ["New/Shelf"]))
        #expect(rows[0].outcome == .updated)
        #expect(
            rows[0].message == "The same file was already on the device. It was moved here from 'Old/a.pdf'.")
        #expect(rows[0].path == "New/Shelf/a.pdf")
        #expect(host.documents == ["New/Shelf/a.pdf"])
        #expect(!host.operations.contains { $0.hasPrefix("push") || $0.hasPrefix("remove /Documents/Old/") })
        #expect(host.folders == ["/Documents", "/Documents/New", "/Documents/New/Shelf"])
        #expect(try bench.books().map(\.collections) == [["New/Shelf"]])
    }

    @Test(
        "A book that does not come into its collection is where it was, and the same command brings it there",
        arguments: [OverlayStatus.deviceIO, .deviceGone])
    func replacedIntoCollectionFails(status: OverlayStatus) throws {
        host.put("Old/a.pdf", bookText("A"))
        host.fault = { operation, _ in operation == "rename" ? status : nil }
        let items = [
            host.item("a.pdf", bookText("A"), title: "A"), host.item("b.pdf", bookText("B"), title: "B"),
        ]
        let wanted = UploadOptions(onConflict: .replace, collections: ["New"])
        let (rows, _) = try bench.upload(items, wanted)
        #expect(rows[0].outcome == .failed)
        #expect(host.content("Old/a.pdf") == bookText("A"))
        host.fault = { _, _ in nil }
        let (again, _) = try bench.upload(items, wanted)
        #expect(again.map(\.path) == ["New/a.pdf", "New/B.pdf"])
        #expect(host.documents == ["New/B.pdf", "New/a.pdf"])
    }

    @Test("The file in the wanted folder is chosen from several with the content of a book")
    func holderInFolder() throws {
        host.put("A/a.pdf", bookText("A"))
        host.put("New/a.pdf", bookText("A"))
        let item = host.item("a.pdf", bookText("A"), title: "A")
        for (policy, outcome) in [(ConflictPolicy.protect, Outcome.skipped), (.replace, .updated)] {
            let (rows, _) = try bench.upload([item], UploadOptions(onConflict: policy, collections: ["new"]))
            #expect(rows[0].outcome == outcome)
            #expect(rows[0].path == "New/a.pdf")
        }
        #expect(host.documents == ["A/a.pdf", "New/a.pdf"])
    }

    @Test("A book that its app has just changed is not mistaken for the one to replace")
    func changedBeforeMove() throws {
        host.put("Old/a.pdf", bookText("A"))
        host.before = { [unowned host] operation, _ in
            if operation == "make_folder" { host.put("Old/a.pdf", bookText("A") + "a highlight") }
        }
        let (rows, error) = try bench.upload(
            [host.item("a.pdf", bookText("A"), title: "A")],
            UploadOptions(onConflict: .replace, collections: ["New"]))
        #expect(error == nil)
        #expect(rows.map(\.status) == [.verificationFailed])
        #expect(rows[0].path == "Old/a.pdf")
        #expect(host.content("Old/a.pdf")?.hasSuffix("a highlight") == true)
        #expect(host.documents == ["Old/a.pdf"])
    }

    @Test("A book that stays although another collection was asked for says so")
    func stays() throws {
        host.put("Old/a.pdf", bookText("A"))
        let item = host.item("a.pdf", bookText("A"), title: "A")
        for policy in [ConflictPolicy.protect, .update] {
            let (rows, _) = try bench.upload([item], UploadOptions(onConflict: policy, collections: ["New"]))
            #expect(rows[0].message?.contains("stays in 'Old'") == true, "\(policy)")
        }
        bench.options.replacingMoves = false
        let (rows, _) = try bench.upload([item], UploadOptions(onConflict: .replace, collections: ["New"]))
        #expect(rows[0].path == "Old/a.pdf")
        #expect(rows[0].message?.contains("stays in 'Old'") == true)
    }

    @Test("An app without folders says that a collection cannot be set")
    func noCollections() throws {
        bench.options.foldersAreCollections = false
        let (rows, _) = try bench.upload(
            [host.item("a.pdf", bookText("A"), title: "A")], UploadOptions(collections: ["New"]))
        #expect(rows[0].outcome == .added)
        #expect(rows[0].path == "A.pdf")
        #expect(rows[0].message?.contains("does not allow access to its collections") == true)
    }

    // MARK: - Edits of a person

    @Test(
        "A user's title stays when the same file is sent again, until the host has a new one"
    )
    func editedTitleStays() throws {
        bench.edits = ShelfEdits(titleRenamesFile: false, collectionMovesFile: false, keepsAuthors: true)
        let content = bookText("Inner")
        _ = try bench.upload([host.item("a.pdf", content, title: "Inner", authors: ["A"])])
        #expect(try bench.sync { $0[0].title = "Mine" }.map(\.outcome) == [.updated])
        for policy in [ConflictPolicy.protect, .update, .replace] {
            _ = try bench.upload(
                [host.item("a.pdf", content, title: "Inner", authors: ["A"])],
                UploadOptions(onConflict: policy))
            #expect(try bench.books().map(\.title) == ["Mine"], "\(policy)")
        }
        _ = try bench.upload(
            [host.item("a.pdf", content, title: "News", authors: ["A"])], UploadOptions(onConflict: .update))
        #expect(try bench.books().map(\.title) == ["News"])
    }

    @Test("A user's title also stays on a file that came another way")
    func editedForeignTitleStays() throws {
        bench.edits = ShelfEdits(titleRenamesFile: false, collectionMovesFile: false, keepsAuthors: true)
        host.put("a.pdf", bookText("Inner"))
        _ = try bench.sync { $0[0].title = "Mine" }
        _ = try bench.upload(
            [host.item("a.pdf", bookText("Inner"), title: "Inner")], UploadOptions(onConflict: .replace))
        #expect(try bench.books().map(\.title) == ["Mine"])
    }
}

/// A long text with one difference outside the ranges of a fingerprint.
private func longText(changedAt place: Int) -> String {
    var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 40_000)
    bytes[place] = UInt8(ascii: "y")
    return String(decoding: bytes, as: UTF8.self)
}
