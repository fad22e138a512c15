import JSON
import OverlayHost
import Testing

@testable import OverlayHostCLI

@Suite("Help of overlays is styled on a terminal only")
struct MarkdownTextTests {
    private static let sample = """
        # Connecting

        Open **Marvin**, and switch its `calibre` connection *on*; the key
        upload_batch_size stays as it is. See [the guide](https://example.org/g).

        - one
        - two goes
          on here
        1. first

        ```
        overlayhost  books
        ```
        2 * 3 * 4 and \\*stars\\*
        """

    @Test("Without a terminal the marks are gone and each paragraph is a line")
    func plain() {
        #expect(
            MarkdownText(width: nil, isStyled: false).render(Self.sample) == """
                Connecting

                Open Marvin, and switch its calibre connection on; the key upload_batch_size stays as it is. See the guide (https://example.org/g).

                • one
                • two goes on here
                1. first

                    overlayhost  books

                2 * 3 * 4 and *stars*
                """)
    }

    @Test("On a terminal lines are broken between words and headings are bold", arguments: [30, 40, 80])
    func terminal(width: Int) {
        let text = MarkdownText(width: width, isStyled: true).render(Self.sample)
        #expect(text.hasPrefix("\u{1B}[1mConnecting\u{1B}[0m\n\nOpen Marvin,"))
        for line in text.split(separator: "\n").dropFirst() {
            #expect(TerminalText.width(of: String(line)) <= width)
        }
        #expect(text.contains("• two goes on here"))
    }

    @Test("A table stays a table, and its last column is broken if it does not fit")
    func table() {
        let markdown =
            "| Verb | What it does |\n|---|---|\n| `books` | lists the **books** there are |\n| get | |"
        #expect(
            MarkdownText(width: 30, isStyled: false).render(markdown)
                == "Verb   What it does\nbooks  lists the books there\n       are\nget")
    }

    @Test("An empty cell of a table keeps its place")
    func emptyCells() {
        #expect(
            MarkdownText(width: nil, isStyled: false).render(
                "| A | B | C |\n|---|---|---|\n| 1 | | 3 |\n|  |2|")
                == "A  B  C\n1     3\n   2")
    }

    @Test("No control character of a help text reaches the terminal")
    func hostile() {
        let text = MarkdownText(width: 40, isStyled: false).render(
            "# \u{1B}[2J\n\u{7}a `\u{1B}]0;x`\n```\n\u{1B}c\n")
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }

    @Test(
        "Unpaired Markdown marks are kept as text",
        arguments: ["*", "`", "[", "a ** b", "[x](", "_", "#x", "####### x", "1.x", "-"])
    func lonely(text: String) {
        #expect(MarkdownText(width: nil, isStyled: false).render(text) == text)
    }
}

@Suite("Text is broken into lines")
struct WrappingTests {
    @Test("Every word is there in order, and no line is wider than it may be", arguments: 1...40)
    func wrapping(width: Int) {
        let text = "Eine kurze Geschichte 日本語のタイトル of the Debian project"
        let lines = TerminalText.wrapped(text, to: width)
        #expect(lines.joined(separator: " ") == text)
        for line in lines where line.contains(" ") { #expect(TerminalText.width(of: line) <= width) }
    }

    @Test("A table's last column goes on below itself, and sections have their titles")
    func table() {
        var table = TextTable([
            .init(title: "KEY", isKey: true), .init(title: "MEANING", minimum: 8, wraps: true),
        ])
        table.begin(section: "Host")
        table.add(["speed", "How fast it may go"])
        table.begin(section: "Marvin")
        table.add(["x", ""])
        #expect(
            table.render(width: 18) == """
                KEY    MEANING

                Host:
                speed  How fast it
                       may go

                Marvin:
                x
                """)
    }
}

@Suite("Abilities of an overlay are listed")
struct OverlayAbilitiesTests {
    @Test("Abilities follow from methods and from what can be changed")
    func words() {
        var descriptor = OverlayDescription(id: "x", name: "X", version: "1.0.0", appName: "X", appIDs: ["x"])
        func words(_ methods: String...) -> [String] { OverlayAbilities.words(descriptor, methods: methods) }
        #expect(words("books", "get_file", "sync_booklists") == ["books", "get"])
        descriptor.settableMetadata = ["collections"]
        #expect(words("sync_booklists") == ["collections"])
        descriptor.settableMetadata = ["collections", "title"]
        #expect(
            words("sync_booklists", "upload_books", "delete_books", "perform", "prepare_addable_books")
                == ["upload", "get", "delete", "update", "collections", "perform"])
        #expect(words().isEmpty)
    }
}

@Suite("Preferences are grouped by overlay")
struct PreferenceDocumentTests {
    @Test("The host's keys come first, then each overlay's, then those without effect")
    func groups() {
        let marvin = OverlayDescription(
            id: "marvin", name: "Marvin overlay", version: "1.0.0", appName: "Marvin", appIDs: ["m"])
        let nova = OverlayDescription(
            id: "nova", name: "Nova", version: "1.0.0", appName: "Nova", appIDs: ["n"],
            options: [
                Preference(
                    "nova_speed", .integer, default: .integer(3), owner: .overlay("nova"), range: 1...9,
                    "How fast.")
            ])
        var stored = JSONObject()
        stored["strange"] = .integer(1)
        stored["nova_speed"] = .integer(99)
        let values = PreferenceValues(
            file: "/p", schema: PreferenceSchema.builtIn.merging(marvin).merging(nova), stored: stored)
        let document = PreferenceDocument(overlays: [marvin, nova])
        let titles = document.groups(values.rows).map(\.title)
        #expect(
            titles == [
                "OverlayHost", "Marvin overlay", "GoodReader", "Kindle", "Nova", "No longer used",
                "Unknown to this version",
            ])
        let row = values.rows.first { $0.key == "nova_speed" }
        let json = row.map(document.json)?.object
        #expect(json?["overlay"] == .string("nova"))
        #expect(json?["range"]?.object?["maximum"]?.double == 9)
        #expect(json?["problem"]?.string == "it must be a whole number from 1 to 9")
        #expect(document.rows(values.rows, of: nova).map(\.key) == ["nova_speed"])
        #expect(document.rows(values.rows, of: marvin).contains { $0.key == "upload_batch_size" })
        let host = values.rows.first { $0.key == "development_mode" }
        #expect(host.map(document.json)?.object?["overlay"] == .null)
        let kindle = values.rows.first { $0.key == "kindle_enabled_formats" }
        #expect(kindle.map(document.json)?.object?["overlay"] == .string("kindle"))
    }
}
