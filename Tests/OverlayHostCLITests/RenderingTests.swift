import OverlayHost
import Testing

@testable import OverlayHostCLI

@Suite("Text on a terminal is safe and fits")
struct TerminalTextTests {
    @Test(
        "A book without a title, or with a blank one, is distinguished from titled ones",
        arguments: [nil, "", " \t"])
    func untitled(title: String?) {
        var book = BookRecord(path: "a.epub")
        book.title = title
        #expect(BookDocument.title(book) == "(no title)")
        book.title = "-"
        #expect(BookDocument.title(book) == "-")
    }

    @Test(
        "Wide characters take two cells, and combining marks take none",
        arguments: [
            ("abc", 3), ("日本語", 6), ("e\u{301}", 1), ("👩‍👩‍👧", 2), ("한국어", 6), ("Ünïcode", 7), ("", 0),
        ])
    func width(text: String, cells: Int) {
        #expect(TerminalText.width(of: text) == cells)
    }

    @Test("A cut never splits a wide character and never exceeds the room", arguments: 0...14)
    func truncation(room: Int) {
        let cut = TerminalText.truncated("日本語のタイトル", to: room)
        #expect(TerminalText.width(of: cut) <= room)
    }

    @Test("Control characters and direction overrides cannot reach the terminal")
    func sanitizing() {
        let text = TerminalText.sanitized("a\u{1B}[31mred\nb\u{202E}c\u{7}")
        #expect(text == "a\u{FFFD}[31mred b\u{FFFD}c\u{FFFD}")
    }
}

@Suite("Tables are aligned by width")
struct TextTableTests {
    @Test("A table is never wider than the terminal while columns can give way", arguments: 24...90)
    func fits(width: Int) {
        var table = TextTable([
            .init(title: "TITLE", minimum: 8), .init(title: "AUTHORS", minimum: 6),
            .init(title: "SIZE", alignment: .right),
        ])
        table.add(["デビアンの歴史、とても長い題名のある本", "Somebody With A Very Long Name", "69 kB"])
        table.add(["Short", "Me", "1.2 MB"])
        for line in table.render(width: width).split(separator: "\n") {
            #expect(TerminalText.width(of: String(line)) <= width)
        }
    }

    static let tables: [(name: String, columns: [TextTable.Column])] = [
        ("devices", DevicesCommand.columns), ("apps", AppsText.columns),
        ("overlays", OverlaysCommand.columns),
        ("books", BookListingFields.columns(BookListingFields.usual)),
        ("prefs list", PrefsCommand.List.columns),
    ]

    @Test(
        "On a terminal of any width the key of each row is whole, and every other line fits",
        arguments: 1...120)
    func narrow(width: Int) {
        for (name, columns) in Self.tables {
            var table = TextTable(columns)
            let key = "0123456789012345678901234567890123456789.epub"
            table.add(columns.map { $0.isKey ? key : String(repeating: "wide cell ", count: 8) })
            table.add(columns.map { $0.isKey ? "k" + key : String(repeating: "幅", count: 30) })
            let lines = table.render(width: width).split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count { $0.contains(key) } == 2, "\(name) at \(width)")
            for line in lines where TerminalText.width(of: String(line)) > width {
                let words = line.drop { $0 == " " }
                #expect(
                    words == key || words == "k" + key || columns.contains { $0.isKey && $0.title == words },
                    "\(name) at \(width)")
            }
        }
    }

    @Test("A key is shown next to the other columns if there is room, and otherwise below them")
    func stacked() {
        var table = TextTable([.init(title: "TITLE", minimum: 8), .init(title: "PATH", isKey: true)])
        table.add(["A title of a book", "0123456789.epub"])
        #expect(
            table.render(width: 30) == "TITLE          PATH\nA title of a…  0123456789.epub")
        #expect(
            table.render(width: 24) == "TITLE\n  PATH\nA title of a book\n  0123456789.epub")
        var first = TextTable([.init(title: "KEY", isKey: true), .init(title: "MEANING", minimum: 8)])
        first.add(["a_long_key", "What it means"])
        #expect(first.render(width: 14) == "KEY\n  MEANING\na_long_key\n  What it mea…")
    }

    @Test("Columns keep their minimum while that fits, and every column is seen from 40 cells on")
    func minimums() {
        for (name, columns) in Self.tables {
            var table = TextTable(columns)
            table.add(columns.map { _ in String(repeating: "w", count: 60) })
            for width in 40...90 {
                let rows = table.render(width: width).split(separator: "\n").drop { !$0.contains("w") }
                let cells = rows.joined(separator: " ").split(separator: " ")
                // A column that wraps has a cell on each of its lines.
                let wraps = columns.contains(where: \.wraps)
                #expect(
                    wraps ? cells.count >= columns.count : cells.count == columns.count,
                    "\(name) at \(width)")
            }
        }
    }

    @Test("A column that wraps goes on below, between its words or where the column ends")
    func wrapping() {
        var table = TextTable([
            .init(title: "N"), .init(title: "SUBJECT", minimum: 8, wraps: true),
            .init(title: "STATUS", minimum: 8, wraps: true),
        ])
        table.add(["1", "com.example.service", "device locked now"])
        table.add(["2", "short", "ok"])
        #expect(
            table.render(width: 23) == """
                N  SUBJECT   STATUS
                1  com.exam  device
                   ple.serv  locked now
                   ice
                2  short     ok
                """)
        #expect(table.render(width: nil).contains("1  com.example.service  device locked now\n"))
    }

    @Test("Without a terminal nothing is cut")
    func whole() {
        var table = TextTable([.init(title: "T", minimum: 3), .init(title: "K", isKey: true)])
        table.add([String(repeating: "x", count: 300), String(repeating: "y", count: 20_000)])
        #expect(table.render(width: nil).contains(String(repeating: "x", count: 300)))
        #expect(table.render(width: nil).contains(String(repeating: "y", count: 20_000)))
    }

    @Test("Without a terminal columns stay in line below and beside long paths", arguments: [65, 200, 400])
    func inLine(length: Int) {
        var table = TextTable([.init(title: "INPUT"), .init(title: "FORMAT"), .init(title: "TYPE")])
        table.add([String(repeating: "p", count: length), "EPUB", "a/b"])
        table.add(["short.pdf", "PDF", "c/d"])
        let lines = table.render(width: nil).split(separator: "\n")
        for (line, cell) in zip(lines, ["FORMAT", "EPUB", "PDF"]) {
            #expect(line.dropFirst(length + 2).hasPrefix(cell), "\(line)")
        }
    }

    @Test("One very long title does not widen the other lines of a pipe or any line of a terminal")
    func endless() {
        for (name, columns) in Self.tables where columns.count > 1 {
            var table = TextTable(columns)
            let endless = String(repeating: "endless ", count: 2000)
            table.add(columns.map { $0.isKey ? "key" : endless })
            table.add(columns.map { $0.isKey ? "other" : "short" })
            let lines = table.render(width: nil).split(separator: "\n")
            #expect(lines.count == 3)
            #expect(lines[1].contains(endless.dropLast()), "\(name)")
            #expect(TerminalText.width(of: String(lines[0])) < 80 * columns.count, "\(name)")
            #expect(TerminalText.width(of: String(lines[2])) < 80 * columns.count, "\(name)")
            for line in table.render(width: 100).split(separator: "\n") {
                #expect(TerminalText.width(of: String(line)) <= 100, "\(name)")
            }
        }
    }
}

@Suite("Progress lines fit the terminal")
struct ProgressLineTests {
    @Test("Bytes, rate and time left are shown, within the width", arguments: [30, 60, 80, 120])
    func line(width: Int) {
        let line = ProgressLine(
            phase: "Uploading", itemsDone: 1, itemsTotal: 3, bytesDone: 2_000_000, bytesTotal: 8_000_000)
        let text = line.render(elapsed: .seconds(2), width: width)
        #expect(TerminalText.width(of: text) <= width)
        if width >= 80 { #expect(text.contains("2.0 MB of 8.0 MB  1.0 MB/s  0:06 left")) }
    }

    @Test("When all is done, no time is left, also where the bytes of what was skipped never came")
    func skipped() {
        let line = ProgressLine(
            phase: "Books added", itemsDone: 2, itemsTotal: 2, bytesDone: 69_000, bytesTotal: 138_000)
        #expect(!line.render(elapsed: .seconds(2), width: 100).contains("left"))
    }

    @Test(
        "Impossible numbers of an overlay are shown, never trapped on",
        arguments: [.zero, .nanoseconds(1), .seconds(1), .seconds(Int64.max)] as [Duration])
    func impossible(elapsed: Duration) {
        for (done, total) in [(UInt64.max, UInt64.max), (.max, 1), (1, .max), (0, 0)] as [(UInt64, UInt64)] {
            let line = ProgressLine(
                phase: "\u{1B}[2J", itemsDone: done, itemsTotal: total, bytesDone: done, bytesTotal: total)
            let text = line.render(elapsed: elapsed, width: 60)
            #expect(TerminalText.width(of: text) <= 60)
            #expect(!text.contains("\u{1B}"))
        }
    }
}
