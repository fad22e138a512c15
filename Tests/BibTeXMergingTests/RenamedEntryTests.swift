import BibTeXMerging
import Testing

@Suite("Entries without title, number and papers keep together when their keys change")
struct RenamedEntryTests {
    private let base = """
        @misc{k,
        \tauthor = {Lima, Ana},
        \tdate-modified = {2024-01-01 00:00:00 +0000},
        \thowpublished = {A talk},
        \tmonth = jan,
        \tyear = 1999}

        """ + GroupText.fixed([("G", "k")])

    @Test("One side changed the key, the other a field: one entry has both")
    func keyAndField() {
        let renamed = base.replacing("{k,", with: "{new,").replacing("{2024", with: "{2025")
        let edited = base.replacing("A talk", with: "A lecture")
        for (host, device) in [(renamed, edited), (edited, renamed)] {
            for deletes in [true, false] {
                let merge = BibTeXMerge(
                    base: library(base), host: library(host), device: library(device), deletes: deletes)
                let text = String(decoding: merge.document.bytes, as: UTF8.self)
                #expect(merge.document.blocks.compactMap(\.key) == ["new"])
                #expect(text.contains("{A lecture}") && !text.contains("{A talk}"))
                #expect(merge.document.groups.map(\.keys) == [["new"]])
                #expect(merge.report.renamed == ["k": "new"])
                #expect(merge.report.conflicts == [] && merge.report.tombstones == [])
            }
        }
    }

    @Test(
        "The side that changed the key changed a field as well: people and year tell that it is the same entry"
    )
    func keyAndFields() {
        let renamed = base.replacing("{k,", with: "{new,").replacing("month = jan", with: "month = feb")
            .replacing("A talk", with: "A talk},\n\tnote = {N},\n\turl = {u},\n\tisbn = {1")
        #expect(Merged(base, base, renamed).merge.report.tombstones.map(\.key) == ["k"], "too much differs")
        let similar = base.replacing("{k,", with: "{new,").replacing(
            "A talk}", with: "A talk},\n\tnote = {N}")
        let merged = Merged(base, base.replacing("jan", with: "feb"), similar)
        #expect(merged.keys == ["new"] && merged.merge.report.renamed == ["k": "new"])
        #expect(merged.fields("new").contains("month=feb") && merged.fields("new").contains("note={N}"))
    }

    @Test("Entries of one person and year with other content are not taken for each other")
    func series() {
        func talk(_ key: String, _ number: Int) -> String {
            "@misc{\(key), author = {Lima}, year = 1999, howpublished = {A talk}, address = {Rio}, number = \(number)}\n"
        }
        // Talk 3 was deleted and talk 4 added; the host's note about talk 3 stays with talk 3.
        let old = talk("a", 1) + talk("b", 2) + talk("c", 3)
        let merged = Merged(
            old, old.replacing("number = 3", with: "number = 3, note = {N}"),
            talk("a", 1) + talk("b", 2) + talk("d", 4))
        #expect(Set(merged.keys) == ["a", "b", "c", "d"])
        #expect(merged.merge.report.renamed == [:])
        #expect(merged.fields("c").contains("number=3") && merged.fields("c").contains("note={N}"))
        #expect(merged.fields("d").contains("number=4"))
    }

    @Test("An entry that could have become either of two new ones is matched with neither")
    func twoCandidates() {
        let (one, other) = (base.replacing("{k,", with: "{n1,"), base.replacing("{k,", with: "{n2,"))
        let merged = Merged(base, base.replacing("A talk", with: "A lecture"), one + other)
        #expect(Set(merged.keys) == ["k", "n1", "n2"] && merged.merge.report.renamed == [:])
        #expect(merged.text.contains("{A lecture}") && merged.text.contains("{A talk}"))
        // Nor are two entries that became one.
        let twins = base + base.replacing("{k,", with: "{l,")
        let joined = Merged(twins, twins.replacing("A talk", with: "A lecture"), one)
        #expect(Set(joined.keys) == ["k", "l", "n1"] && joined.merge.report.renamed == [:])
    }

    @Test("An entry that says nothing is not matched with another such entry")
    func empty() {
        let merged = Merged(
            "@misc{k,}\n@a{z, x = 1}\n", "@misc{k,}\n@a{z, x = 2}\n", "@misc{n,}\n@a{z, x = 1}\n")
        #expect(merged.merge.report.renamed == [:])
        #expect(merged.merge.report.tombstones.map(\.key) == ["k"])
    }
}
