import Synchronization
import JSON
import OverlayHost
import Platform
import Testing

@testable import OverlayHostCLI

@Suite("No text of a device, a book or a file controls the terminal")
struct HostileTextTests {
    /// Escape sequences of 7 and 8 bits, a bell, a return, line breaks, and a direction override.
    private static let hostile =
        "\u{1B}]0;title\u{7}\u{1B}[2J\u{9B}31m\r\nforged\u{2028}row\u{202E}drawkcab\u{2066}\u{8}\u{7F}"

    private func check(_ text: String, lines: Int? = nil, _ name: String) {
        for scalar in text.unicodeScalars where scalar != "\n" {
            let category = scalar.properties.generalCategory
            #expect(category != .control && category != .lineSeparator, "\(name): \(scalar.value)")
            #expect(
                !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value),
                "\(name)")
        }
        #expect(!text.isEmpty, "\(name)")
        if let lines { #expect(text.split(separator: "\n").count == lines, "\(name)") }
    }

    private var book: BookRecord {
        let text = Self.hostile
        var book = BookRecord(path: text)
        (book.uuid, book.title, book.titleSort, book.authors, book.authorSort) = (
            text, text, text, [text, text], text
        )
        (book.series, book.publisher, book.description, book.tags) = (text, text, text, [text])
        (book.collections, book.format) = ([text], text)
        book.cover = BookCover(mediaType: text)
        var annotation = Annotation()
        (annotation.kind, annotation.location, annotation.text) = (text, text, text)
        (annotation.note, annotation.color) = (text, text)
        book.annotations = [annotation]
        return book
    }

    private var error: HostError {
        HostError(.failed, Self.hostile, subject: Self.hostile, hint: Self.hostile)
    }

    @Test("Books are safe in lists, in full, in collections and in questions", arguments: [nil, 40, 100])
    func books(width: Int?) {
        var listing = ""
        BookListing([book], fields: nil).writeText(width: width) { listing += $0 }
        check(listing, "books")
        check(BookDocument.text(book), "info")
        check(
            CollectionsDocument([book], app: Self.hostile, obstacle: nil).text(width: width),
            lines: width == 40 ? 4 : 2, "collections")
        let missing = MissingAbility(ability: "collections", reason: Self.hostile, hint: Self.hostile)
        check(
            CollectionsDocument([BookRecord(path: "x")], app: Self.hostile, obstacle: missing).text(
                width: width), lines: 2, "no collections")
        let deletion = Deletion(
            app: Self.hostile, books: [book, book], losses: [ExactText(book.path): Self.hostile],
            strangers: [(Self.hostile, Self.hostile)])
        check(deletion.lines.joined(separator: "\n"), lines: 3, "delete")
    }

    @Test("Rows and errors are safe, with the device they are about")
    func errors() {
        let text = ProgramBench.Text()
        var console = text.console()
        console.label = Self.hostile
        console.report(error)
        BatchDocument.print(
            BatchResult(
                rows: [
                    ItemRow(item: Self.hostile, path: Self.hostile, status: .added, message: Self.hostile),
                    ItemRow(item: Self.hostile, failure: error),
                ], failure: HostError(.deviceGone, Self.hostile)), on: console)
        console.note("note")
        check(text.errors.withLock { $0 }, "errors")
        check(text.output.withLock { $0 }, lines: 1, "rows")
    }

    @Test("Progress of one device and of several is safe")
    func progress() {
        let line = ProgressLine(phase: Self.hostile, itemsDone: 1, itemsTotal: 2)
        check(line.render(elapsed: .seconds(3), width: 200), lines: 1, "progress")
        let text = ProgramBench.Text()
        let display = MultiDeviceProgress(console: text.console(), labels: [Self.hostile], writesLines: true)
        display.update(0, line, now: .now)
        check(text.errors.withLock { $0 }, lines: 1, "display")
    }

    @Test("An overlay's description of itself is safe")
    func overlays() throws {
        let descriptor = OverlayDescription(
            id: "x", name: Self.hostile, version: Self.hostile, summary: Self.hostile,
            appName: Self.hostile, appIDs: [Self.hostile], formats: [],
            help: Self.hostile + "\n\n# " + Self.hostile)
        for width in [nil, 80] {
            let text = OverlayText(
                descriptor: descriptor, file: Self.hostile, problem: Self.hostile, abilities: [Self.hostile],
                options: []
            ).render(width: width)
            // Headings are bold on a terminal; the program adds that itself.
            check(
                text.replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "")
                    .replacing("\u{1B}[22m", with: ""), "overlays")
        }
    }

    @Test("Words of the command line that a message repeats are safe")
    func commandLine() throws {
        let bench = try ProgramBench()
        for words in [
            [Self.hostile], ["devices", Self.hostile], ["books", "--sort", Self.hostile],
            ["books", "--" + Self.hostile],
            ["upload", "-x" + Self.hostile],
        ] {
            let run = bench.run(words)
            #expect(run.status == 64)
            check(run.errors, "\(words.count)")
        }
    }

    @Test("JSON escapes control characters as well, and gives the same text back")
    func json() throws {
        let text = BookDocument.full(book).text(.indented)
        check(text, "json")
        let again = try JSONValue(parsing: [UInt8](text.utf8))
        #expect(again.object?["title"]?.string == Self.hostile)
        #expect(again == BookDocument.full(book))
    }
}
