import BibTeX
import BibTeXMerging
import Testing

@Suite("Changes of both sides are merged")
struct MergeTableTests {
    private let base = """
        % head
        @article{k,
        \tauthor = {Lima, Ana},
        \tdate-added = {2024-01-01 00:00:00 +0000},
        \tdate-modified = {2024-01-01 00:00:00 +0000},
        \ttitle = {On Things},
        \tyear = 1999}

        @book{l,
        \ttitle = {Other}}

        """

    /// The base with some texts replaced.
    private func with(_ changes: (String, String)...) -> String {
        changes.reduce(base) { $0.replacing($1.0, with: $1.1) }
    }

    @Test("The same change on both sides is taken and not reported")
    func same() {
        let changed = with(("On Things", "On all Things"))
        let merged = Merged(base, changed, changed)
        #expect(merged.text == changed)
        #expect(merged.conflicts == [] && merged.merge.report.changes == [])
    }

    @Test("A change on only one side is taken, and the rest stays byte for byte")
    func oneSide() {
        let changed = with(("On Things", "On all Things"))
        let fromDevice = Merged(base, base, changed)
        #expect(fromDevice.text == changed)
        #expect(fromDevice.merge.report.changes.map(\.side) == [.host])
        #expect(
            fromDevice.merge.report.changes.first?.fields == [
                EntryChange.Field(name: "title", old: "{On Things}", new: "{On all Things}")
            ])
        let fromHost = Merged(base, changed, base)
        #expect(fromHost.text == changed)
        #expect(fromHost.merge.report.changes.map(\.side) == [.device])
    }

    @Test(
        "Another spelling, quoting, order or layout in TeX is not a change, but is copied to the host"
    )
    func spelling() {
        let host = "@a{k, x = {M{\\\"u}ller  x}, y = {1}}\n"
        let device = "@A{k,\n y = \"1\",\n X = \"Müller x\", z = {}\n}\n"
        let merged = Merged(host, host, device)
        #expect(merged.text == device && merged.merge.report == MergeReport())
    }

    @Test("A date that cannot be read is kept beside the other date")
    func unreadableDates() {
        func entry(_ date: String) -> String { "@a{k, date-modified = {\(date)}}\n" }
        let merged = Merged(entry("2024-01-01"), entry("2024-02-02"), entry("last week"))
        #expect(merged.fields("k") == ["date-modified={2024-02-02}", "date-modified-conflict-1={last week}"])
    }

    @Test("A linked URL with macros is treated like any other link")
    func macroURLs() {
        let head = "@string{site = {http://x.org}}\n"
        let base = head + "@a{k, bdsk-url-1 = site # {/a}, bdsk-url-2 = {u}}\n"
        let merged = Merged(
            base, base.replacing("{u}", with: "{v}"),
            base.replacing(", bdsk-url-2", with: ", bdsk-url-3 = {w}, bdsk-url-2"))
        #expect(merged.fields("k") == ["bdsk-url-1=site # {/a}", "bdsk-url-2={v}", "bdsk-url-3={w}"])
        let changed = Merged(base, base.replacing("{u}", with: "{v}"), base.replacing("{/a}", with: "{/b}"))
        #expect(changed.fields("k") == ["bdsk-url-1={v}", "bdsk-url-2=site # {/b}"])
    }

    @Test("A field that only one side set or removed is taken from there")
    func setAndRemove() {
        let set = with(("year = 1999", "year = 1999,\n\tpages = {1}"))
        #expect(Merged(base, base, set).text == set)
        let removed = with((",\n\tyear = 1999", ""))
        #expect(Merged(base, base, removed).text == removed)
        // A field that one side removed and the other changed stays changed.
        #expect(Merged(base, removed, with(("1999", "2000"))).fields("k").contains("year=2000"))
        #expect(Merged(base, with(("1999", "2000")), removed).fields("k").contains("year=2000"))
    }

    @Test(
        "If both sides changed a field, the later value wins, the other is kept, and a group lists the entry"
    )
    func conflict() {
        let host = with(("On Things", "Host"), ("year = 1999", "year = 2001"))
        let tie = Merged(base, host, with(("On Things", "Device")))
        #expect(
            tie.fields("k").contains("title={Host}") && tie.fields("k").contains("title-conflict-1={Device}"))
        #expect(tie.fields("k").contains("year=2001"))
        #expect(tie.groups == ["Sync Conflicts: k"])
        #expect(tie.conflicts == [.field("title")])
        let late = with(("On Things", "Device"), ("modified = {2024", "modified = {2025"))
        let later = Merged(base, host, late)
        #expect(
            later.fields("k").contains("title={Device}")
                && later.fields("k").contains("title-conflict-1={Host}"))
        // The next run has no changes.
        let again = BibTeXMerge(
            base: later.merge.document, host: later.merge.document, device: later.merge.document.forApp())
        #expect(again.document.bytes == later.merge.document.bytes && again.report == MergeReport())
        // A second conflict gets the next number.
        let second = Merged(
            later.text, later.text.replacing("{Device}", with: "{H2}"),
            later.text.replacing("{Device}", with: "{D2}"))
        #expect(second.fields("k").contains("title-conflict-2={D2}"))
    }

    @Test("Keywords are merged as sets, in the winner's order")
    func keywords() {
        func entry(_ words: String) -> String { "@a{k, keywords = {\(words)}}" }
        #expect(
            Merged(entry("a, b, c"), entry("b, a, c, h"), entry("a, c, d")).fields("k") == [
                "keywords={a, c, h, d}"
            ])
        #expect(
            Merged(entry("a; b"), entry("A; b; h"), entry("a; b; d")).fields("k") == ["keywords={A; b; h; d}"]
        )
        #expect(Merged(entry("a, b"), entry("a, b"), entry("b")).fields("k") == ["keywords={b}"])
        // A colon does not separate words if there are commas between them.
        #expect(
            Merged(entry("x:1, a"), entry("x:1, a, h"), entry("x:1, a, d")).fields("k")
                == ["keywords={x:1, a, h, d}"])
        #expect(
            Merged(entry("x:1, a"), entry("x:1"), entry("x:1, a, d")).fields("k") == ["keywords={x:1, d}"])
        #expect(
            Merged(entry("a: b"), entry("a: b: h"), entry("a: b: d")).fields("k") == ["keywords={a: b: h: d}"]
        )
    }

    @Test("Linked files and URLs are merged as lists by path and address, and numbered again")
    func links() {
        func entry(_ links: [String], _ urls: [String] = []) -> String {
            let files = links.enumerated().map { ", bdsk-file-\($0.offset + 1) = {\($0.element)}" }
            let addresses = urls.enumerated().map { ", bdsk-url-\($0.offset + 1) = {\($0.element)}" }
            return "@a{k, t = 1" + files.joined() + addresses.joined() + "}"
        }
        let merged = Merged(entry(["a", "b", "c"]), entry(["a", "b", "h"]), entry(["./b", "c", "d"]))
        #expect(merged.merge.document.blocks[0].linkedFiles.map(\.relativePath) == ["b", "h", "d"])
        #expect(
            merged.fields("k").map { $0.prefix(11) }.filter { $0.hasPrefix("bdsk") } == [
                "bdsk-file-1", "bdsk-file-2", "bdsk-file-3",
            ])
        #expect(merged.conflicts == [])
        let urls = Merged(entry([], ["u", "v"]), entry([], ["v"]), entry([], ["u", "v", "w"]))
        #expect(urls.fields("k") == ["t=1", "bdsk-url-1={v}", "bdsk-url-2={w}"])
        #expect(
            Merged(entry(["a", "b"]), entry(["a", "b"]), entry(["b", "a"])).fields("k")[1]
                == "bdsk-file-1={b}")
    }

    @Test(
        "A link keeps the host's value with its alias, and a link without a path stays"
    )
    func payloads() {
        let alias = "YnBsaXN0MDDRAQJZYWxpYXNEYXRhQwABAggLFQAAAAAAAAEBAAAAAAAAAAMAAAAAAAAAAAAAAAAAAAAZ"
        let bookmark =
            "YnBsaXN0MDDSAQIDBFxyZWxhdGl2ZVBhdGhYYm9va21hcmtfEBNQREZzL0tudXRoIDE5ODQucGRmSGJvb2sEAAAACA0aIzkA"
            + "AAAAAAABAQAAAAAAAAAFAAAAAAAAAAAAAAAAAAAAQg=="
        let host = library("@a{k, x = 1, bdsk-file-1 = {\(bookmark)}, bdsk-file-2 = {\(alias)}}")
        var device = host.forApp()
        #expect(device.blocks[0].linkedFiles.count == 1)
        #expect(BibTeXMerge(base: host, host: host, device: device).document.bytes == host.bytes)
        device.change(0) { $0.setting("x", to: BibTeXValue("2")) }
        device.change(0) {
            BibTeXDocument.setting($0.linkedFiles + [FileLink(path: "new.pdf")], of: $0, named: { $0 })
        }
        let merged = BibTeXMerge(base: host, host: host, device: device).document.blocks[0]
        #expect(merged.linkedFiles.map(\.relativePath) == ["PDFs/Knuth 1984.pdf", "new.pdf", nil])
        #expect(merged.linkedFiles.map(\.value)[0] == bookmark && merged.linkedFiles.map(\.value)[2] == alias)
        // Deleted on the host, and changed on the device only in form.
        let gone = BibTeXMerge(base: host, host: library(""), device: host.forApp())
        #expect(gone.document.bytes == [] && gone.report.tombstones.count == 1)
    }

    @Test("A link with macros keeps the host's value, even if other links move")
    func macroLinks() {
        let base = "@string{p = {Papers}}\n@a{k, bdsk-file-1 = p # {/a.pdf}, bdsk-file-2 = {b.pdf}}\n"
        let device = base.replacing(
            "bdsk-file-1 = p # {/a.pdf}, bdsk-file-2 = {b.pdf}",
            with: "bdsk-file-1 = {b.pdf}, bdsk-file-2 = {c.pdf}")
        let merged = Merged(base, base, device)
        #expect(
            merged.fields("k") == ["bdsk-file-1={b.pdf}", "bdsk-file-2={c.pdf}", "bdsk-file-3=p # {/a.pdf}"])
        let copy = library(base).forApp()
        #expect(copy.blocks.flatMap(\.linkedFiles).map(\.relativePath) == ["b.pdf"])
        let unchanged = Merged(base, base.replacing("b.pdf", with: "x.pdf"), base)
        #expect(unchanged.fields("k") == ["bdsk-file-1=p # {/a.pdf}", "bdsk-file-2={x.pdf}"])
    }

    @Test("The earliest date of addition and the latest date of change are kept")
    func dates() {
        let host = with(
            ("added = {2024-01", "added = {2024-03"), ("modified = {2024-01", "modified = {2024-03"))
        let device = with(
            ("added = {2024-01", "added = {2024-02"), ("modified = {2024-01", "modified = {2024-04"))
        let fields = Merged(base, host, device).fields("k")
        #expect(fields[1] == "date-added={2024-01-01 00:00:00 +0000}")
        #expect(fields[2] == "date-modified={2024-04-01 00:00:00 +0000}")
        #expect(!fields.contains { $0.contains("conflict") })
        let none = Merged(nil, host, device).fields("k")
        #expect(none[1] == "date-added={2024-02-01 00:00:00 +0000}")
    }

    @Test("An entry that was deleted on one side and unchanged on the other is removed, and its text is kept")
    func deleted() {
        let short =
            "% head\n" + base.dropFirst(7).drop { $0 != "\n" || false }.prefix(0)
            + "@book{l,\n\ttitle = {Other}}\n"
        let byDevice = Merged(base, base, short)
        #expect(byDevice.keys == ["l"])
        #expect(byDevice.text.hasPrefix("% head\n"))
        #expect(byDevice.merge.report.tombstones.map(\.side) == [.device])
        #expect(
            byDevice.merge.report.tombstones.first.map {
                library(String(decoding: $0.text, as: UTF8.self)).blocks[0].key
            } == "k")
        let byHost = Merged(base, short, base)
        #expect(byHost.text == short)
        #expect(byHost.merge.report.tombstones.map(\.side) == [.host])
        #expect(byHost.merge.report.changes.map(\.action) == [.deleted])
    }

    @Test("An entry that was deleted on one side and changed on the other stays, and a group lists it")
    func deletedAndChanged() {
        let short = "% head\n@book{l,\n\ttitle = {Other}}\n"
        let changed = with(("On Things", "Changed"))
        let byDevice = Merged(base, changed, short)
        #expect(byDevice.fields("k").contains("title={Changed}"))
        #expect(byDevice.conflicts == [.deletion(.device)] && byDevice.groups == ["Sync Conflicts: k"])
        let byHost = Merged(base, short, changed)
        #expect(byHost.fields("k").contains("title={Changed}"))
        #expect(byHost.conflicts == [.deletion(.host)] && byHost.groups == ["Sync Conflicts: k"])
    }

    @Test("Entries with one key that were added on both sides are one entry if they say the same")
    func addedSame() {
        let merged = Merged("", "@a{k, x = {1}}\n", "@a{K,\n x = \"1\"}\n")
        #expect(merged.keys.count == 1)
    }

    @Test(
        "Different entries added under one key on both sides are both kept, with groups and crossrefs"
    )
    func addedDifferent() {
        let host = "@a{k, x = {1}}\n@a{ka,}\n" + GroupText.fixed([("G", "k")])
        let device = "@a{k, x = {2}}\n@a{c, crossref = {K}}\n" + GroupText.fixed([("G", "k"), ("D", "k,c")])
        let merged = Merged("@x{old,}", host + "@x{old,}", device + "@x{old,}")
        #expect(merged.keys.sorted() == ["c", "k", "ka", "kb", "old"])
        #expect(merged.fields("k") == ["x={1}"] && merged.fields("kb") == ["x={2}"])
        #expect(merged.fields("c") == ["crossref={kb}"])
        #expect(merged.groups == ["G: k kb", "D: kb c", "Sync Conflicts: k kb"])
        #expect(merged.conflicts == [.twoEntries])
    }

    @Test("A changed key is recognised by a strong name, and groups and crossrefs follow")
    func renamed() {
        let old = "@a{k, doi = {10.1/X}, y = {1}}\n@a{c, crossref = {k}}\n" + GroupText.fixed([("G", "k,c")])
        let device = old.replacing("@a{k,", with: "@a{new,")
        let merged = Merged(old, old.replacing("{1}", with: "{2}"), device)
        #expect(merged.keys == ["new", "c"])
        #expect(merged.fields("new") == ["doi={10.1/X}", "y={2}"])
        #expect(merged.fields("c") == ["crossref={new}"])
        #expect(merged.groups == ["G: new c"])
        #expect(merged.merge.report.renamed == ["k": "new"] && merged.merge.report.tombstones == [])
        let linked = Merged(old, old, device.replacing("{10.1/X}", with: "{https://doi.org/10.1/x}"))
        #expect(linked.keys == ["new", "c"] && linked.merge.report.renamed == ["k": "new"])
        let other = Merged(
            old, device.replacing("crossref = {k}", with: "crossref = {new}"),
            old.replacing("{1}", with: "{2}"))
        #expect(other.fields("new") == ["doi={10.1/X}", "y={2}"] && other.fields("c") == ["crossref={new}"])
        #expect(other.groups == ["G: new c"])
        let both = Merged(old, device, old.replacing("@a{k,", with: "@a{third,"))
        #expect(both.keys == ["new", "c"] && both.conflicts == [.key])
        #expect(both.fields("new").contains("cite-key-conflict-1={third}"))
    }

    @Test("A changed key that could be two entries is a deletion and an addition")
    func notRenamed() {
        // Chapters of one book share its number. A new chapter does not replace a deleted one.
        func chapters(_ keys: String...) -> String {
            keys.map { "@a{\($0), isbn = {1}, title = {\($0)}}\n" }.joined()
        }
        let before = chapters("c1", "c2", "c3")
        let after = Merged(before, before, chapters("c1", "c2", "c4"))
        #expect(after.merge.report.tombstones.map(\.key) == ["c3"])
        #expect(after.fields("c4") == ["isbn={1}", "title={c4}"])
        let old = "@a{k, doi = {10.1/X}}\n@z{z,}\n"
        let merged = Merged(old, old, "@a{n1, doi = {10.1/X}}\n@a{n2, doi = {10.1/X}}\n@z{z,}\n")
        #expect(merged.keys == ["n1", "n2", "z"])
        #expect(merged.merge.report.tombstones.map(\.key) == ["k"])
    }

    @Test("If both sides changed the type, one is used and the other word stays in the entry")
    func types() {
        let merged = Merged("@a{k, x = 1}", "@b{k, x = 1}", "@c{k, x = 1}")
        #expect(merged.merge.document.blocks[0].type == "b")
        #expect(merged.fields("k").contains("type-conflict-1={c}") && merged.conflicts == [.type])
        #expect(Merged("@a{k, x = 1}", "@a{k, x = 1}", "@c{k, x = 1}").text == "@c{k, x = 1}")
    }

    @Test(
        "Entries with one key are paired by content, then by place; indistinguishable ones all stay")
    func duplicates() {
        let old = "@a{k, x = 1}\n@a{k, x = 2}\n"
        #expect(
            Merged(old, "@a{k, x = 1}\n@a{k, x = 3}\n", "@a{k, x = 4}\n@a{k, x = 2}\n").text
                == "@a{k, x = 4}\n@a{k, x = 3}\n")
        let ambiguous = Merged(old, "@a{k, x = 5}\n", "@a{k, x = 1}\n@a{k, x = 7}\n")
        #expect(ambiguous.conflicts.contains(.ambiguousKey))
        // A change of one side is taken even if the renamed entry cannot be determined.
        let three = "@a{k, x = 5}\n@a{k, x = 6}\n@a{k, x = 7}\n"
        #expect(Merged(old, three, old).text == three)
        let taken = Merged(old, old, three)
        #expect(taken.keys == ["k", "k", "k"] && taken.merge.report.tombstones.count == 2)
        #expect(taken.conflicts == [])
        // Of the entries that the host no longer has, the one that the device left unchanged comes back.
        #expect(ambiguous.keys == ["k", "k", "k"])
    }

    @Test("Merged keywords keep their original spelling")
    func spellingOfKeywords() {
        let old = "@a{k, keywords = {{\\\"u}ber, Caf\\'{e}}}\n"
        let merged = Merged(
            old, "@a{k, keywords = {{\\\"u}ber, Caf\\'{e}, {\\o}re}}\n",
            "@a{k, keywords = {über, Café, na{\\\"i}ve}}\n")
        #expect(merged.fields("k") == ["keywords={{\\\"u}ber, Caf\\'{e}, {\\o}re, na{\\\"i}ve}"])
        #expect(merged.conflicts == [])
    }

    @Test("Keywords in one pair of braces are one value, and the loser is kept beside the winner")
    func keywordsInBraces() {
        let merged = Merged(
            "@a{k, keywords = {{a, b}}}", "@a{k, keywords = {{a, b, c}}}", "@a{k, keywords = {{a, d}}}")
        #expect(merged.fields("k") == ["keywords={{a, b, c}}", "keywords-conflict-1={{a, d}}"])
    }

    @Test("Thousands of entries with one key are paired by their content")
    func manyTwins() {
        let twins = (0..<3000).map { "@a{k, x = \($0)}\n" }
        let changed = twins.dropFirst().reversed() + ["@a{k, x = {new}}\n"]
        let merged = Merged(twins.joined(), twins.joined(), changed.joined())
        #expect(merged.keys.count == 3000 && merged.text.contains("x = {new}"))
        #expect(!merged.text.contains("x = 0}") && merged.conflicts == [])
    }

    @Test("An entry of many fields is compared as a whole, and both forms of it stay")
    func manyFields() {
        let fields = (0..<600).map { "f\($0) = \($0)" }.joined(separator: ", ")
        let old = "@a{k, \(fields)}\n"
        let merged = Merged(
            old, old.replacing("f1 = 1,", with: "f1 = {h},"), old.replacing("f2 = 2,", with: "f2 = {d},"))
        #expect(merged.keys == ["k", "k"] && merged.conflicts == [.damagedBlock])
        #expect(merged.text.contains("f1 = {h}") && merged.text.contains("f2 = {d}"))
    }

    @Test("Without an agreed state nothing is deleted, and entries of one work are one")
    func noBase() {
        let merged = Merged(
            nil, "@a{k, title = {T}, x = 1}\n@a{h,}\n", "@a{k, title = {T}, x = 2, y = 3}\n@a{d,}\n")
        #expect(merged.keys == ["k", "h", "d"])
        #expect(
            merged.fields("k") == ["title={T}", "x=1", "x-conflict-1=2", "y=3"]
                || merged.fields("k").sorted() == ["title={T}", "x-conflict-1=2", "x=1", "y=3"])
        #expect(Merged(nil, "@a{k, title = {T}}\n", "@a{k, title = {U}}\n").keys == ["k", "ka"])
        #expect(merged.merge.report.tombstones == [])
    }

    @Test("A file keeps its encoding, or becomes UTF-8 if a letter needs it")
    func encodings() {
        let latin = BibTeXDocument(
            Array("@a{k, x = {M".utf8) + [0xFC] + Array("ller}}\n".utf8), fallback: .latin1)
        let device = latin.forApp()
        var changed = device
        changed.change(0) { $0.setting("y", to: BibTeXValue("é")) }
        let merged = BibTeXMerge(base: latin, host: latin, device: changed).document
        #expect(merged.encoding == .latin1 && merged.blocks[0].value("y") == BibTeXValue("é"))
        changed.change(0) { $0.setting("y", to: BibTeXValue("日")) }
        let wide = BibTeXMerge(base: latin, host: latin, device: changed).document
        #expect(String(validating: wide.bytes, as: UTF8.self)?.contains("Müller}, y = {日}") == true)
        // Both sides changed the key, and the host's encoding lacks a letter of the device's.
        var ours = latin
        ours.change(0) { $0.renamed("h") }
        changed = device
        changed.change(0) { $0.renamed("日") }
        let doi = { (document: inout BibTeXDocument) in
            _ = document.change(0) { $0.setting("doi", to: BibTeXValue("10.1/x")) }
        }
        var old = latin
        doi(&old)
        doi(&ours)
        doi(&changed)
        let keys = BibTeXMerge(base: old, host: ours, device: changed)
        #expect(keys.document.blocks[0].value("cite-key-conflict-1") == BibTeXValue("日"))
        #expect(keys.report.conflicts.map(\.subject) == [.key])
    }

    @Test("Merging the same library again without an agreed state changes nothing")
    func again() {
        let host = """
            @string{m = {Host}}
            @article{same, title = {Same}, year = 1998, note = {n}}
            @article{taken, title = {Host's}}
            @article{takena, title = {Another}}
            """
        let other = """
            @string{m = {Device}}
            @book{same, title = {Same}, year = 1999, journal = m}
            @article{taken, title = {Device's}, journal = m}
            @article{child, crossref = {taken}}
            """
        let first = Merged(nil, host, other)
        #expect(first.keys == ["same", "taken", "takena", "child", "takenb"])
        #expect(first.text.contains("year-conflict-1 = 1999") && first.text.contains("m-conflict"))
        let second = Merged(nil, first.text, other)
        #expect(second.text == first.text)
        #expect(second.conflicts == [])
        let third = Merged(nil, first.text, other.replacing("1999", with: "2001"))
        #expect(third.text.contains("year-conflict-2 = 2001") && third.keys == first.keys)
    }
}
