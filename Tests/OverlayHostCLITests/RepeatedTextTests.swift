import Synchronization
import Testing

@testable import OverlayWorkers
@testable import OverlayHost
@testable import OverlayHostCLI

@Suite("A text that holds for several books or apps is shown once")
struct RepeatedTextTests {
    /// Standard output and standard error of a result.
    private func printed(_ rows: [ItemRow]) -> (output: String, errors: String) {
        let said = Said()
        let console = Console(
            isJSON: false, isQuiet: false, width: nil,
            output: { text in said.output.withLock { $0 += text } },
            diagnostics: { text in said.errors.withLock { $0 += text } })
        BatchDocument.print(BatchResult(rows: rows), on: console)
        return (said.output.withLock { $0 }, said.errors.withLock { $0 })
    }

    private final class Said: Sendable {
        let output = Mutex("")
        let errors = Mutex("")
    }

    @Test("A remark about all added books is printed below them, and any other with its book")
    func remarks() {
        let shared = "Kindle does not allow access to its collections: e.g. nothing."
        var second = ItemRow(item: "b", path: "B", status: .added, message: shared)
        second.remarks.append("It is a PDF.")
        #expect(second.message == shared + " It is a PDF.")
        let text = printed([
            ItemRow(item: "a", path: "A", status: .added, message: shared),
            second,
            ItemRow(item: "c", status: .skipped, message: "It is there."),
        ]).output
        #expect(
            text == """
                added  a  →  A
                added  b  →  B  (It is a PDF.)
                skipped  c  (It is there.)
                2 added: \(shared)

                """)
    }

    @Test("A remark is shared only as a whole, because a dot may end an abbreviation")
    func abbreviations() {
        let text = printed([
            ItemRow(item: "a", status: .skipped, message: "It is in St. Mary."),
            ItemRow(item: "b", status: .skipped, message: "It is in St. Paul."),
        ]).output
        #expect(text == "skipped  a  (It is in St. Mary.)\nskipped  b  (It is in St. Paul.)\n")
    }

    @Test("Remarks that not all have stay with their books")
    func own() {
        let text = printed([
            ItemRow(item: "a", status: .skipped, message: "One."),
            ItemRow(item: "b", status: .skipped, message: "One."),
            ItemRow(item: "c", status: .skipped, message: "Two."),
        ]).output
        #expect(text == "skipped  a  (One.)\nskipped  b  (One.)\nskipped  c  (Two.)\n")
    }

    @Test("A reason that several books have for failing is shown once, with their names")
    func failures() {
        let rows = ["a", "b", "c", "d"].map {
            ItemRow(
                item: $0, status: .failed, message: $0 == "b" ? "Other." : "Switched off.", hint: "Try.",
                code: .notSupported)
        }
        #expect(
            printed(rows).errors == """
                overlayhost: 'a': Switched off.
                  Try.
                  The same with: c, d.
                overlayhost: 'b': Other.
                  Try.

                """)
        let many = (0..<30).map {
            ItemRow(item: "\($0)", status: .failed, message: "It was cancelled.", code: .cancelled)
        }
        #expect(
            printed(many).errors
                == "overlayhost: '0': It was cancelled.\n  The same with: 1, 2, 3, 4, 5, 6, 7 and 22 more.\n")
    }

    @Test("A reason that names each book is shown once, and one that names something else is not shared")
    func namedFailures() {
        let rows = [("x/a.epub", "x/a.epub"), ("x/b.epub", "x/b.epub"), ("c.epub", "cover.jpg")].map {
            ItemRow(
                item: $0, status: .failed, message: "Cannot read /books/\($1): Permission denied.",
                code: .inputUnreadable)
        }
        #expect(
            printed(rows).errors == """
                overlayhost: 'x/a.epub': Cannot read /books/x/a.epub: Permission denied.
                  The same with: x/b.epub.
                overlayhost: 'c.epub': Cannot read /books/cover.jpg: Permission denied.

                """)
    }

    @Test("Reader apps share a line below the table where they lack the same for the same reason")
    func apps() {
        let hint = "Containers stay closed."
        func app(_ name: String, _ missing: [MissingAbility] = []) -> ReaderAppSurvey.App {
            ReaderAppSurvey.App(
                bundleID: "org." + name, name: name, version: nil, overlay: "documents",
                access: ["documents"],
                refused: [
                    .init(
                        root: "container",
                        reason: "iOS 17.0 does not allow access to the container of \(name).",
                        hint: hint)
                ],
                missing: missing)
        }
        let documents = OverlayDescription(
            id: "documents", name: "Documents", version: "1.0.0", appName: "Documents", appIDs: [])
        let text = AppsText(
            [
                app("One"),
                app(
                    "Two",
                    ["update", "covers"].map {
                        MissingAbility(ability: $0, reason: "It only reads.", hint: nil)
                    }),
            ], overlays: [documents]
        ).render(width: nil)
        #expect(
            text == """
                APP  VERSION  OVERLAY    ACCESS     BUNDLE ID
                One  -        Documents  documents  org.One
                Two  -        Documents  documents  org.Two

                Not possible:
                  Two: update, covers
                    It only reads.
                  One, Two: access to the container
                    iOS 17.0 does not allow access to the container.
                    Containers stay closed.
                """)
        for line in AppsText([app("One")], overlays: []).render(width: 40).split(separator: "\n").dropFirst(3)
        {
            #expect(TerminalText.width(of: String(line)) <= 40)
        }
    }
}
