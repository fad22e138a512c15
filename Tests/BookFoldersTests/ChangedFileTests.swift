import OverlayKitTesting
import OverlayKit
import Testing
import UploadPlanning

@testable import BookFolders

@Suite("Changes that an app made to a sent file are not lost silently")
struct ChangedFileTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    private let changed = "The book is already in Reader, and Reader has changed the file since it was sent."

    private func item(_ filler: String = "x", title: String? = "Emma") -> UploadItem {
        let authors = title == nil ? [] : ["Jane Austen"]
        return host.item(
            "Emma.pdf", bookText(title, authors, filler: filler), title: title, authors: authors)
    }

    private func highlight() {
        host.put("Emma.pdf", (host.content("Emma.pdf") ?? "") + "a highlight")
    }

    @Test(
        "A changed file that is sent again is left alone, and there is no second copy",
        arguments: [ConflictPolicy.protect, .update], ["Emma", nil])
    func sentAgain(policy: ConflictPolicy, title: String?) throws {
        for isListed in [false, true] {
            let bench = ShelfBench()
            let text = bookText(title, title == nil ? [] : ["Jane Austen"])
            func item() -> UploadItem {
                bench.host.item(
                    "Emma.pdf", text, title: title, authors: title == nil ? nil : ["Jane Austen"])
            }
            _ = try bench.upload([item()])
            // It makes no difference whether a listing has read the file in the meantime.
            for round in 1...3 {
                bench.host.put("Emma.pdf", text + String(repeating: "a highlight", count: round))
                if isListed { _ = try bench.books() }
                let (rows, _) = try bench.upload([item()], UploadOptions(onConflict: policy))
                #expect(rows.map(\.outcome) == [.skipped] && rows.map(\.path) == ["Emma.pdf"])
                #expect(rows[0].message == changed)
                #expect(bench.host.documents == ["Emma.pdf"])
                #expect(bench.host.content("Emma.pdf")?.hasSuffix("a highlight") == true)
            }
        }
    }

    @Test(
        "A file that its app has rewritten as a whole is not overwritten",
        arguments: [("Emma", ["Jane Austen"]), ("Emma", []), (nil, [])] as [(String?, [String])],
        [false, true])
    func rewritten(book: (title: String?, authors: [String]), isRetitled: Bool) throws {
        bench.edits = ShelfEdits(titleRenamesFile: true, collectionMovesFile: false, keepsAuthors: true)
        let text = bookText(book.title, book.authors)
        let item = host.item("Emma.pdf", text, title: book.title, authors: book.authors)
        _ = try bench.upload([item])
        if isRetitled { #expect(try bench.sync { $0[0].title = "Mine" }.map(\.outcome) == [.updated]) }
        let path = try #require(host.documents.first)
        host.put(path, bookText(book.title, book.authors, filler: "z") + "highlights all over")
        #expect(try bench.books().map(\.title) == [book.title ?? (isRetitled ? "Mine" : "Emma")])
        for policy in [ConflictPolicy.protect, .update] {
            let (rows, _) = try bench.upload([item], UploadOptions(onConflict: policy))
            #expect(rows.map(\.message) == [changed])
        }
        let (rows, _) = try bench.upload([item], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.status) == [.needsConsent])
        #expect(host.documents == [path] && host.content(path)?.hasSuffix("all over") == true)
    }

    @Test(
        "A file that its app has rewritten several times is not overwritten, even if it was listed in between",
        arguments: [("Emma", ["Jane Austen"]), ("Emma", []), (nil, [])] as [(String?, [String])],
        [false, true])
    func rewrittenAgain(book: (title: String?, authors: [String]), losesMetadata: Bool) throws {
        let text = bookText(book.title, book.authors)
        let item = host.item("Emma.pdf", text, title: book.title, authors: book.authors)
        _ = try bench.upload([item])
        for round in 1...20 {
            let title = losesMetadata && round % 2 == 0 ? nil : book.title
            // The app writes the file to another one, which takes its place, so that the file has another time.
            host.put(
                "Emma.pdf", bookText(title, title == nil ? [] : book.authors, filler: "\(round)z"),
                created: Int64(round))
            #expect(try bench.books().count == 1)
            let (rows, _) = try bench.upload([item], UploadOptions(onConflict: .replace))
            #expect(rows.map(\.status) == [.needsConsent], "\(round)")
        }
        #expect(host.documents == ["Emma.pdf"])
        let (rows, _) = try bench.upload([item], UploadOptions(onConflict: .replace, mayLoseMarks: true))
        #expect(rows.map(\.outcome) == [.replaced])
        #expect(host.content("Emma.pdf") == text)
    }

    @Test("Another book in the place of a rewritten file without metadata is not a later state of it")
    func anotherAfterDroppedMetadata() throws {
        _ = try bench.upload([item()])
        host.put("Emma.pdf", bookText(nil, filler: "z"), created: 1)
        _ = try bench.books()
        let other = bookText("Frankenstein", ["Mary Shelley"])
        host.put("Emma.pdf", other, created: 2)
        _ = try bench.books()
        #expect(try bench.upload([item()]).rows.map(\.outcome) == [.added])
        #expect(try bench.books().map(\.title).contains("Frankenstein"))
        #expect(host.content("Emma.pdf") == other)
    }

    @Test("A rewritten file stays protected after a copy of what was sent was deleted")
    func deletedCopy() throws {
        _ = try bench.upload([item()])
        let sent = try #require(host.content("Emma.pdf"))
        host.put("Emma.pdf", bookText("Emma", ["Jane Austen"], filler: "1z"), created: 1)
        _ = try bench.books()
        host.put("Copy.pdf", sent)
        _ = try bench.books()
        _ = try bench.delete(["Copy.pdf"])
        #expect(host.documents == ["Emma.pdf"])
        host.put("Emma.pdf", bookText("Emma", ["Jane Austen"], filler: "2z"), created: 2)
        _ = try bench.books()
        let (rows, _) = try bench.upload([item("y")], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.status) == [.needsConsent])
    }

    @Test("A file that was never sent has no later states, even if it was edited")
    func neverSent() throws {
        let scan = bookText(nil)
        host.put("scan.pdf", scan, created: 1)
        _ = try bench.sync { $0[0].title = "Mine" }
        let path = try #require(host.documents.first)
        host.put(path, scan + "a highlight", created: 1)
        _ = try bench.books()
        host.put(path, bookText(nil, filler: "other"), created: 2)
        _ = try bench.books()
        let (rows, _) = try bench.upload([host.item("scan.pdf", scan)])
        #expect(rows.map(\.outcome) == [.added])
    }

    @Test("The notes of a file that is rewritten every day do not grow without end")
    func bounded() throws {
        _ = try bench.upload([item()])
        for round in 1...60 {
            host.put("Emma.pdf", bookText("Emma", ["Jane Austen"], filler: "\(round)"), created: Int64(round))
            _ = try bench.books()
        }
        let notes = BookNotes(try host.services().storage, log: try host.services().log)
        let states = notes.laterStates().values.reduce(into: Set()) { $0.formUnion($1) }
        #expect(states.count <= 17)
    }

    @Test(
        "A title that a person gave stays with a renamed file into which its app writes",
        arguments: [[], ["Ann"]])
    func retitled(authors: [String]) throws {
        let text = bookText("Emma", authors)
        let item = host.item("Emma.pdf", text, title: "Emma", authors: authors)
        _ = try bench.upload([item])
        _ = try bench.sync { $0[0].title = "Mine" }
        host.put("Mine.pdf", text + "a highlight")
        #expect(try bench.books().map(\.title) == ["Mine"])
        #expect(try bench.upload([item], UploadOptions(onConflict: .update)).rows.map(\.message) == [changed])
    }

    @Test("A file that its app has rewritten without its metadata is not overwritten")
    func metadataDropped() throws {
        let item = host.item("a.pdf", bookText("Inner", ["Ann"]), title: "Emma", authors: ["Ann"])
        _ = try bench.upload([item])
        _ = try bench.books()
        host.put("Emma.pdf", bookText(nil, filler: "z") + "highlights all over")
        let (rows, _) = try bench.upload([item], UploadOptions(onConflict: .update))
        #expect(rows.map(\.message) == [changed])
        #expect(host.content("Emma.pdf")?.hasSuffix("all over") == true)
    }

    @Test("A changed file is known under another name and in another folder as well")
    func moved() throws {
        _ = try bench.upload([item()])
        highlight()
        _ = try bench.books()
        host.move("Emma.pdf", to: "Read/Austen.pdf")
        let (rows, _) = try bench.upload([item()])
        #expect(rows.map(\.path) == ["Read/Austen.pdf"] && rows[0].message == changed)
    }

    @Test("An update with another edition keeps the changed file", arguments: [true, false])
    func edition(isChanged: Bool) throws {
        _ = try bench.upload([item()])
        if isChanged { highlight() }
        let (rows, _) = try bench.upload([item("y")], UploadOptions(onConflict: .update))
        #expect(rows.map(\.outcome) == [isChanged ? .skipped : .updated])
        if isChanged { #expect(rows[0].message == changed) }
        #expect(host.content("Emma.pdf")?.hasSuffix("a highlight") == isChanged)
        #expect(host.documents == ["Emma.pdf"])
    }

    @Test("A replacement needs consent, and says what is lost before and after", arguments: ["x", "y"])
    func replaced(filler: String) throws {
        _ = try bench.upload([item()])
        highlight()
        let (refused, _) = try bench.upload([item(filler)], UploadOptions(onConflict: .replace))
        #expect(refused.map(\.status) == [.needsConsent] && refused.map(\.path) == ["Emma.pdf"])
        #expect(
            refused[0].message
                == "Replacing the book would lose what Reader has added to the file since it was sent.")
        #expect(host.content("Emma.pdf")?.hasSuffix("a highlight") == true)

        let (rows, _) = try bench.upload(
            [item(filler)], UploadOptions(onConflict: .replace, mayLoseMarks: true))
        #expect(rows.map(\.outcome) == [.replaced])
        #expect(
            rows[0].message
                == "The old copy was removed, along with what Reader has added to the file since it was sent."
        )
        #expect(host.content("Emma.pdf")?.hasSuffix(filler) == true)
        // The current file is the one that was sent.
        let (again, _) = try bench.upload([item("z")], UploadOptions(onConflict: .replace))
        #expect(again.map(\.outcome) == [.replaced] && again[0].message == nil)
    }

    @Test("A file that was written again has another content id, even if its size is the same")
    func contentID() throws {
        func listed() throws -> String? { try bench.books().first { $0.path == "Emma.pdf" }?.contentID }
        for filler in ["x", String(repeating: "x", count: 20_000)] {
            _ = try bench.upload([item(filler)], UploadOptions(onConflict: .replace, mayLoseMarks: true))
            let sent = try #require(try listed())
            let text = try #require(host.content("Emma.pdf"))
            #expect(try listed() == sent)
            // In a long file, where its fingerprint has no bytes.
            let place = text.index(
                text.startIndex, offsetBy: text.count > 10_000 ? text.count / 4 : text.count - 1)
            var rewritten = text
            rewritten.replaceSubrange(place...place, with: "?")
            #expect(rewritten.utf8.count == text.utf8.count)
            host.put("Emma.pdf", rewritten)
            let changed = try #require(try listed())
            #expect(changed != sent)
            #expect(try listed() == changed)
        }
        // The id goes with the file when it is moved by this host.
        let id = try #require(try listed())
        bench.edits = ShelfEdits(titleRenamesFile: true, collectionMovesFile: false, keepsAuthors: true)
        #expect(
            try bench.sync { books in
                for index in books.indices { books[index].title = "Moved" }
            }.map(\.outcome) == [.updated])
        #expect(try bench.books().map(\.contentID) == [id])
        // A book that was not sent by this host has none.
        host.put("Mine.pdf", bookText("Mine", []))
        #expect(try bench.books().first { $0.path == "Mine.pdf" }?.contentID == nil)
    }

    @Test("A book added beside one with additions does not advise deleting that one")
    func noAdvice() throws {
        _ = try bench.upload([item(title: nil)])
        highlight()
        let (rows, _) = try bench.upload([item("y", title: nil)])
        #expect(rows.map(\.path) == ["Emma (2).pdf"])
        #expect(
            rows[0].message
                == "Another book has the same title. It has what Reader has added to the file since it was sent."
        )
    }

    @Test("A changed file that was fetched and sent itself counts as what was sent")
    func fetched() throws {
        _ = try bench.upload([item()])
        highlight()
        let text = try #require(host.content("Emma.pdf"))
        _ = try bench.upload(
            [host.item("Emma.pdf", text, title: "Emma", authors: ["Jane Austen"])],
            UploadOptions(onConflict: .update))
        let (rows, _) = try bench.upload([item("y")], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.outcome) == [.replaced])
    }

    @Test("Notes still identify later states of a file after they were saved, merged and loaded")
    func kept() throws {
        let services = try host.services()
        let contents = (0..<20).compactMap { ContentFingerprint("\($0)-aa") }
        let notes = BookNotes(services.storage, log: services.log)
        notes.setKnown(contents[0], Book(title: "T"), own: nil)
        for (one, next) in zip(contents, contents.dropFirst()) { notes.carry(from: one, to: next) }
        for round in 0..<15 {
            notes.edit(contents[1], Book(title: "\(round)"))
            try notes.save()
        }
        let loaded = BookNotes(services.storage, log: services.log)
        // Those before the last sixteen are forgotten.
        #expect(loaded.laterStates()[contents[0]] == contents.suffix(16).sorted { $0.text < $1.text })
        #expect(loaded.isLaterState(contents[19]) && !loaded.isLaterState(contents[0]))
    }
}
