import ArgumentParser
import JSON
import OverlayHost
import Testing

@testable import OverlayHostCLI

@Suite("A booklist is printed in several forms")
struct BookListingTests {
    private let books = [
        BookRecord(
            path: "a, b.epub",
            Book(
                title: "=HYPERLINK(\"x\")", authors: ["Ann Author", "Bo Writer"], seriesIndex: -1,
                tags: ["one", "two"], rating: 4.5, size: 1200, coverMediaType: "image/png", coverSize: 7,
                isLocked: true, progress: 0.5)),
        BookRecord(path: "c.epub"),
    ]

    /// All pieces of a text.
    private func text(_ write: ((String) -> Void) -> Void) -> String {
        var text = ""
        write { text += $0 }
        return text
    }

    @Test("Chosen fields are the columns, the members and the header")
    func chosen() throws {
        let listing = BookListing(books, fields: ["title", "size", "rating", "path"])
        #expect(
            text { listing.writeText(width: nil, $0) }
                == "TITLE              SIZE  RATING  PATH\n"
                + "=HYPERLINK(\"x\")  1.2 kB     4.5  a, b.epub\n"
                + "(no title)            -       -  c.epub")
        #expect(
            JSONValue.array(Array(listing.documents)).text(.line)
                == #"[{"title": "=HYPERLINK(\"x\")", "size": 1200, "rating": 4.5, "path": "a, b.epub"}, {"path": "c.epub"}]"#
        )
        #expect(
            text(listing.writeCSV)
                == "title,size,rating,path\r\n\"'=HYPERLINK(\"\"x\"\")\",1200,4.5,\"a, b.epub\"\r\n,,,c.epub")
    }

    @Test("CSV has every field without a choice, lists joined, and numbers as numbers")
    func csv() {
        let lines = text(BookListing(books, fields: nil).writeCSV).split(separator: "\r\n")
        #expect(lines.first.map { String($0) } == BookListingFields.names.joined(separator: ","))
        #expect(lines[1].contains("Ann Author & Bo Writer"))
        #expect(lines[1].contains("\"one, two\""))
        #expect(lines[1].contains(",-1,"))
        #expect(lines[1].contains(",image/png,true,"))
    }

    @Test("A table of any fields fits a terminal of 80 cells", arguments: BookListingFields.names)
    func width(field: String) {
        let wide = BookRecord(
            path: String(repeating: "p", count: 100),
            Book(title: String(repeating: "t", count: 200), description: String(repeating: "d ", count: 999)))
        let fields = ["title", field, "description", "uuid", "publisher"]
        let listing = BookListing([wide], fields: fields)
        for line in text({ listing.writeText(width: 80, $0) }).split(separator: "\n") {
            #expect(TerminalText.width(of: String(line)) <= 80)
        }
    }

    @Test(
        "A mistake in the options of a list is refused before a device is looked for",
        arguments: [
            (["--sort", "titel"], "Books have no field 'titel'. Did you mean 'title'?"),
            (
                ["--fields", "title,colour"],
                "Books have no field 'colour'. The fields are: path, uuid, title,"
            ),
            (["--fields", ","], "--fields needs at least one field."),
            (["--limit", "0"], "--limit must be at least 1."),
            (["--limit", "-1"], "--limit must be at least 1."),
            (["--csv", "--json"], "--json and --csv cannot be used together."),
            (["--csv", "--device", "all"], "--csv can list the books of one device only."),
        ] as [([String], String)])
    func mistakes(words: [String], message: String) throws {
        let run = try ProgramBench().run(["books"] + words)
        #expect(run.status == 64)
        #expect((run.errors + run.output).contains(message), "\(run.errors)")
    }

    @Test("A negative limit of removals is refused as a value, not taken for an option")
    func negativeRemovals() throws {
        let run = try ProgramBench().run(["sync", ".", "--delete", "--max-delete", "-1"])
        #expect(run.status == 64)
        #expect(run.errors.contains("The value '-1' is invalid for '--max-delete <number>'"), "\(run.errors)")
    }

    @Test("A dash before the field to sort by means descending order")
    func descending() throws {
        for (words, field, isDescending) in [
            (["--sort", "-title-sort"], "title_sort", true), (["--sort", "Authors"], "authors", false),
            (["--sort", "-size", "--reverse"], "size", false),
            (["--sort", "size", "--reverse"], "size", true),
        ] {
            #expect(ArgumentNormalizer.fileLikeAnOption(["books"] + words) == nil)
            let command = try #require(try OverlayHostCommand.parseAsRoot(["books"] + words) as? BooksCommand)
            #expect(command.listing.query.sortField == field)
            #expect(command.listing.query.isDescending == isDescending)
        }
    }
}
