import OverlayKitTesting
import OverlayKit
import Testing

@testable import BookFolders

@Suite("Edits of a person follow a file that its app changes, and no other file")
struct EditMigrationTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    init() {
        bench.edits = ShelfEdits(titleRenamesFile: false, collectionMovesFile: false, keepsAuthors: true)
    }

    @Test("Recorded values of a book stay when its app changes the file", arguments: [true, false])
    func appWrites(isSent: Bool) throws {
        if isSent {
            _ = try bench.upload([host.item("a.pdf", bookText("Inner"), title: "a", authors: ["A"])])
        } else {
            host.put("a.pdf", bookText("Inner"))
        }
        #expect(try bench.sync { $0[0].title = "Mine" }.map(\.outcome) == [.updated])
        for round in 1...3 {
            host.put("a.pdf", bookText("Inner") + String(repeating: "highlight ", count: round))
            let books = try bench.books()
            #expect(books.map(\.title) == ["Mine"])
            #expect(books.map(\.authors) == [isSent ? ["A"] : nil])
            #expect((books[0].uuid != nil) == isSent)
        }
    }

    @Test("A listing that is interrupted while a title follows its file loses nothing")
    func appWritesAndCancel() throws {
        host.put("a.pdf", bookText("Inner"))
        _ = try bench.sync { $0[0].title = "Mine" }
        host.put("a.pdf", bookText("Inner") + "highlight")
        for operation in ["read", "metadata"] {
            host.before = { [unowned host] name, _ in if name.hasPrefix(operation) { host.isCancelled = true }
            }
            #expect(throws: OverlayError.self) { try bench.books() }
            (host.before, host.isCancelled) = ({ _, _ in }, false)
        }
        #expect(try bench.books().map(\.title) == ["Mine"])
    }

    @Test(
        "A title follows its file at a later listing if the app is still writing or the notes cannot be saved"
    )
    func appWritesLater() throws {
        host.put("a.pdf", bookText("Inner"))
        _ = try bench.sync { $0[0].title = "Mine" }
        host.put("a.pdf", "BROKEN" + bookText("Inner"))
        _ = try bench.books()
        host.put("a.pdf", bookText("Inner") + "highlight")
        #expect(try bench.books().map(\.title) == ["Mine"])
        host.put("a.pdf", bookText("Inner") + "highlight, and another one")
        host.fault = { operation, key in
            operation == "storage.put" && key.hasPrefix("edits") ? .hostIO : nil
        }
        _ = try bench.books()
        host.fault = { _, _ in nil }
        #expect(try bench.books().map(\.title) == ["Mine"])
    }

    @Test("Another book that takes the place of one does not get its title")
    func anotherInPlace() throws {
        host.put("a.pdf", bookText("Inner"))
        _ = try bench.sync { $0[0].title = "Mine" }
        host.put("a.pdf", bookText("Another", filler: "y"))
        #expect(try bench.books().map(\.title) == ["Another"])
        host.put("b.pdf", bookText(nil))
        _ = try bench.sync { $0[1].title = "Mine, too" }
        host.move("b.pdf", to: "C/moved.pdf")
        host.put("b.pdf", bookText(nil, filler: "z"))
        #expect(try bench.books().map(\.title) == ["Another", "b", "Mine, too"])
        for path in ["c.pdf", "D/copy.pdf"] { host.put(path, bookText(nil, filler: "w")) }
        _ = try bench.sync { ($0[2].title, $0[4].title) = ("Of both", "Of both") }
        host.put("c.pdf", bookText(nil, filler: "v"))
        let titles = try bench.books().map(\.title)
        #expect(titles == ["Another", "b", "c", "Mine, too", "Of both"])
    }

    // MARK: - Files without metadata

    @Test(
        "A title is not given to an untitled document that replaces the file",
        arguments: [[], ["Ann"]])
    func anotherSilent(authors: [String]) throws {
        host.put("scan.pdf", bookText(nil, authors))
        _ = try bench.sync { $0[0].title = "Tax return 2023" }
        host.put("scan.pdf", bookText(nil, authors, filler: "z") + "a completely different scan")
        #expect(try bench.books().map(\.title) == ["scan"])
        // The recorded values come back with their file.
        host.put("again.pdf", bookText(nil, authors))
        #expect(try bench.books().map(\.title) == ["Tax return 2023", "scan"])
    }

    @Test("A title follows a file without a title that has grown at its end, or is as old as before")
    func sameSilent() throws {
        host.put("grown.pdf", bookText(nil))
        host.put("old.pdf", bookText(nil, filler: "y"), created: 1_600_000_000_000_000_000)
        _ = try bench.sync { ($0[0].title, $0[1].title) = ("Grown", "Old") }
        host.put("grown.pdf", bookText(nil) + "a highlight")
        host.put("old.pdf", bookText(nil, filler: "z"), created: 1_600_000_000_000_000_000)
        #expect(try bench.books().map(\.title) == ["Grown", "Old"])
        host.put("grown.pdf", bookText(nil) + "a highlight, and another one")
        #expect(try bench.books().map(\.title) == ["Grown", "Old"])
    }

    @Test("A title waits while it is unknown whether a file without a title has grown")
    func unreadableSilent() throws {
        host.put("scan.pdf", bookText(nil))
        _ = try bench.sync { $0[0].title = "Mine" }
        host.put("scan.pdf", bookText(nil) + "a highlight")
        var reads = 0
        host.fault = { operation, _ in
            if operation == "read_many" { reads += 1 }
            // Three ranges identify the current content, and the others its beginning.
            return reads > 3 ? .deviceIO : nil
        }
        _ = try bench.books()
        host.fault = { _, _ in nil }
        #expect(try bench.books().map(\.title) == ["Mine"])
    }

    @Test("All files with noted contents are looked for elsewhere at once")
    func askedAtOnce() throws {
        var calls: [Int] = []
        for count in [2, 30] {
            let bench = ShelfBench()
            bench.edits = self.bench.edits
            for index in 0..<count { bench.host.put("\(index).pdf", bookText("T", filler: "\(index % 10)")) }
            _ = try bench.sync { for index in $0.indices { $0[index].title = "Mine" } }
            for index in 0..<count {
                bench.host.put("\(index).pdf", bookText("T", filler: "\(index % 10)") + "a highlight")
                // As large as the recorded files, and not yet known.
                bench.host.put("other \(index).pdf", bookText("X", filler: "\(index % 10)"))
            }
            bench.host.resetCounts()
            #expect(try bench.books().filter { $0.title == "Mine" }.count == count)
            calls.append(bench.host.calls)
        }
        #expect(calls[0] == calls[1])
    }
}
