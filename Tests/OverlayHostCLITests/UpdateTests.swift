import TestSupport
import ArgumentParser
import Foundation
import JSON
import OverlayHost
import Testing

@testable import OverlayHostCLI

@Suite("The command update changes what its options say")
struct UpdateTests {
    private func fields(_ words: String...) throws -> BookChanges {
        let words = ArgumentNormalizer.normalized(["update", "x"] + words)
        return try #require(try OverlayHostCommand.parseAsRoot(words) as? UpdateCommand).fields.changes()
    }

    @Test("The record has only the named fields")
    func named() throws {
        var expected = BookChanges()
        expected.title = "-T"
        expected.authors = ["A", "B"]
        expected.seriesIndex = 2.5
        expected.pubdate = "2024-02-29"
        expected.tags = ["x"]
        expected.rating = 4
        expected.isLocked = false
        expected.wordCount = 12
        let record = try fields(
            "--title", "-T", "--author", "A", "--author", "B", "--series-index", "2.5", "--pubdate",
            "2024-02-29",
            "--tag", "x", "--rating", "4", "--no-locked", "--word-count", "12")
        #expect(record == expected)
    }

    @Test("An empty value clears the field")
    func cleared() throws {
        let record = try fields(
            "--title-sort", "", "--author", "", "--series", "", "--series-index", "", "--pubdate", "",
            "--tag", "",
            "--rating", "", "--description", "", "--word-count", "", "--publisher=")
        #expect(
            record.titleSort == "" && record.series == "" && record.pubdate == "" && record.description == "")
        #expect(record.authors == [] && record.tags == [])
        #expect(record.seriesIndex == 0 && record.rating == 0 && record.wordCount == 0)
        #expect(record.publisher == "")
        #expect(record.title == nil && record.isLocked == nil)
    }

    @Test(
        "An impossible value is refused with 64 before any device is asked",
        arguments: [
            ["--rating", "6"], ["--rating", "many"], ["--rating", "nan"], ["--series-index", "-1"],
            ["--pubdate", "2023-02-29"], ["--pubdate", "2023-13-01"], ["--pubdate", "yesterday"],
            ["--pubdate", "2023-1-1"], ["--pubdate", "2023-01-01-01"], ["--word-count", "-3"],
            ["--word-count", "99999999999"], ["--cover", ""], [],
        ])
    func refused(words: [String]) throws {
        let run = try ProgramBench().run(["update", "x", "--json"] + words)
        #expect(run.status == 64, "\(run.output)")
        #expect(try run.error("code") == "usage")
    }

    @Test("A cover is a JPEG or PNG image, by its content")
    func cover() throws {
        let bench = try ProgramBench()
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3])
        let cover = try CoverFile.read(bench.file("lies.jpg", png))
        #expect(cover.mediaType == "image/png")
        #expect(cover.data == [UInt8](png))
        #expect(cover.size == 11)
        #expect(
            try CoverFile.read(bench.file("a", Data([0xFF, 0xD8, 0xFF, 0xE0]))).mediaType == "image/jpeg")
        let text = try bench.file("text.png", Data("no image".utf8))
        #expect(#expect(throws: HostError.self) { try CoverFile.read(text) }?.code == .unsupportedFormat)
        #expect(
            #expect(throws: HostError.self) { try CoverFile.read(bench.folder.path("missing")) }?.exitStatus
                == .noInput)
    }
}

@Suite("Collections and their books are listed")
struct CollectionsDocumentTests {
    private func book(_ path: String, _ collections: [String]?) -> BookRecord {
        var book = BookRecord(path: path)
        book.collections = collections
        return book
    }

    @Test("Each collection is there once, in the order of the names, with the paths of its books")
    func document() {
        let document = CollectionsDocument(
            [
                book("1", ["New", "debian"]), book("2", nil), book("3", ["New", "New"]),
                book("4", ["Äpfel", "Debian"]),
            ], app: "Reader", obstacle: MissingAbility(ability: "collections", reason: "No editing."))
        #expect(
            document.collections == [
                .init(name: "Debian", books: ["4"]), .init(name: "debian", books: ["1"]),
                .init(name: "New", books: ["1", "3"]), .init(name: "Äpfel", books: ["4"]),
            ])
        #expect(document.json.object?["collections"] != nil)
        #expect(document.text(width: nil).split(separator: "\n")[3] == "New             2")
        #expect(document.json.object?["reason"] == nil)
    }

    @Test("If no book reports its collections, the message says so instead of that there are none")
    func unknown() {
        let books = [book("1", nil), book("2", nil)]
        let closed = MissingAbility(ability: "collections", reason: "They are kept elsewhere.", hint: "Look.")
        let document = CollectionsDocument(books, app: "Kindle", obstacle: closed)
        #expect(
            document.json
                == .document([
                    "collections": .null, "reason": .string("They are kept elsewhere."),
                    "hint": .string("Look."),
                ]))
        #expect(
            document.text(width: 80)
                == "Cannot read the collections of Kindle. They are kept elsewhere.\n  Look.")
        let silent = CollectionsDocument(books, app: "Kindle", obstacle: nil)
        #expect(silent.text(width: 80).hasSuffix("Kindle does not share its collections with a computer."))
        // A book without collections says so, and a library without books has none.
        for books in [[book("1", nil), book("2", [])], []] {
            let none = CollectionsDocument(books, app: "Kindle", obstacle: closed)
            #expect(none.text(width: 80) == "No books are in a collection.")
            #expect(none.json == .document(["collections": .array([])]))
        }
    }

    @Test(
        "Meaningless options are refused with 64",
        arguments: [
            ["collections", "a book"], ["collections", "--add", "x"], ["collections", "--remove", " ", "b"],
            ["collections", "--add", "x", "--remove", "x", "b"], ["perform"],
            ["perform", "x", "--parameter", "y"],
            ["perform", "x", "--parameter", "=y"],
        ])
    func refused(words: [String]) throws {
        let run = try ProgramBench().run(words + ["--json"])
        #expect(run.status == 64, "\(run.output)")
    }

    @Test("A reader app's own commands need development mode")
    func perform() throws {
        let bench = try ProgramBench(prefs: "{}")
        let run = bench.withPrefs("perform", "backup", "--json")
        #expect(run.status == 78)
        #expect(try run.error("hint")?.contains("prefs set development_mode true") == true)
    }
}

@Suite("A book is printed as a document")
struct BookDocumentTests {
    @Test("Lock, words, progress and annotations are shown to programs and to people")
    func fields() throws {
        var book = BookRecord(path: "p")
        book.isLocked = true
        book.wordCount = 1234
        book.progress = 0.5
        var note = Annotation()
        note.kind = "note"
        note.location = "chapter 2"
        note.text = "marked\nwords"
        note.note = "my \u{1B}note"
        note.color = "yellow"
        note.modified = 0
        book.annotations = [note, Annotation()]
        let document = try #require(BookDocument.full(book).object)
        #expect(document["locked"] == .bool(true))
        #expect(document["word_count"] == .integer(1234))
        #expect(document["progress"]?.double == 0.5)
        guard case .array(let annotations)? = document["annotations"] else {
            Issue.record("there is no list")
            return
        }
        #expect(annotations.count == 2)
        #expect(annotations[0].object?["modified"] == .string("1970-01-01T00:00:00Z"))
        #expect(annotations[0].object?["color"] == .string("yellow"))
        let text = BookDocument.text(book)
        for words in [
            "Words", "1234", "50 %", "Locked", "note, chapter 2, 1970", "“marked words”", "my \u{FFFD}note",
        ] {
            #expect(text.contains(words), "\(text)")
        }
        #expect(BookDocument.json(book).object?["annotations"] == nil)
    }
}
