import BibTeX
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

    @Test("If one side changed the key and the other a field, one entry has both changes")
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
        "If one side changed both the key and a field, people and year show that the entry is the same"
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
        // A talk was deleted and another one added.
        expectTwoWorks(talk("old", 3), talk("new", 4))
        // The same among other talks: the host's note about talk 3 stays with talk 3.
        let old = talk("a", 1) + talk("b", 2) + talk("c", 3)
        let merged = Merged(
            old, old.replacing("number = 3", with: "number = 3, note = {N}"),
            talk("a", 1) + talk("b", 2) + talk("d", 4))
        #expect(Set(merged.keys) == ["a", "b", "c", "d"])
        #expect(merged.merge.report.renamed == [:])
        #expect(merged.fields("c").contains("number=3") && merged.fields("c").contains("note={N}"))
        #expect(merged.fields("d").contains("number=4"))
    }

    /// Merges a library in which the device deleted one entry and added another, and checks that both exist.
    private func expectTwoWorks(
        _ old: String, _ new: String, _ host: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let other = "@misc{z, note = {Z}}\n"
        for deletes in [true, false] {
            let merge = BibTeXMerge(
                base: library(old + other), host: library((host ?? old) + other),
                device: library(other + new), deletes: deletes)
            let text = String(decoding: merge.document.bytes, as: UTF8.self)
            #expect(merge.report.renamed == [:], sourceLocation: sourceLocation)
            #expect(text.contains("{new,"), sourceLocation: sourceLocation)
            let deleted = (deletes ? merge.report.tombstones : merge.report.heldBack).map(\.key)
            #expect(deleted == (host == nil ? ["old"] : []), sourceLocation: sourceLocation)
            #expect(
                text.contains("{old,") == (!deletes || host != nil), sourceLocation: sourceLocation)
        }
        // The deletion was held back before the similar entry was added.
        let held = BibTeXMerge(
            base: library(old + other), host: library(old + other), device: library(other), deletes: false)
        #expect(held.report.heldBack.map(\.key) == ["old"], sourceLocation: sourceLocation)
        let sent = String(decoding: held.deviceDocument.forApp().bytes, as: UTF8.self)
        for deletes in [true, false] {
            let next = BibTeXMerge(
                base: held.agreed, host: held.document, device: library(sent + new), deletes: deletes)
            let keys = Set(next.document.blocks.compactMap(\.key))
            #expect(keys == (deletes ? ["z", "new"] : ["old", "z", "new"]), sourceLocation: sourceLocation)
            #expect(next.report.renamed == [:], sourceLocation: sourceLocation)
            #expect(next.report.deletedEntries == (deletes ? 1 : 0), sourceLocation: sourceLocation)
        }
    }

    @Test("Two papers of one author in one volume are two works")
    func papersOfOneVolume() {
        func paper(_ key: String, _ title: String, _ pages: String) -> String {
            """
            @inproceedings{\(key), author = {Lima, Ana}, year = 1999, booktitle = {B}, editor = {E}, publisher = {P},
            \taddress = {A}, series = {S}, volume = 7, month = jan, title = {\(title)}, pages = {\(pages)}}

            """
        }
        expectTwoWorks(paper("old", "One", "1--9"), paper("new", "Two", "10--19"))
        // Only the title differs, or only the pages of two contributions with one title.
        expectTwoWorks(paper("old", "One", "1--9"), paper("new", "Two", "1--9"))
        expectTwoWorks(paper("old", "Editorial", "1--9"), paper("new", "Editorial", "10--19"))
        let old = paper("old", "One", "1--9")
        expectTwoWorks(old, paper("new", "Two", "10--19"), old.replacing("{A}", with: "{Rio}"))
    }

    @Test(
        "Entries without a title that differ in one field are two works",
        arguments: ["number", "pages", "volume", "month", "url", "note", "bdsk-url-1", "bdsk-file-1"])
    func untitled(field: String) {
        func talk(_ key: String, _ value: String) -> String {
            "@misc{\(key), author = {Lima}, year = 1999, howpublished = {A talk}, address = {Rio}, \(field) = {\(value)}}\n"
        }
        expectTwoWorks(talk("old", "3"), talk("new", "4"))
    }

    @Test(
        "Entries with one title are two works if a number, the date, a paper or a URL differs",
        arguments: [
            "doi", "isbn", "eprint", "number", "pages", "volume", "chapter", "edition", "month", "url",
            "bdsk-url-1", "bdsk-file-1",
        ])
    func oneTitle(field: String) {
        func report(_ key: String, _ value: String) -> String {
            "@techreport{\(key), author = {Lima}, year = 1999, title = {Report}, institution = {I}, \(field) = {\(value)}}\n"
        }
        expectTwoWorks(report("old", "3"), report("new", "4"))
        expectTwoWorks(
            report("old", "3"),
            report("new", "3").replacing("1999", with: "2000").replacing("{3}", with: "{4}"))
        // A value that only one of them has does not count.
        let renamed = report("new", "3").replacing(", \(field) = {3}", with: "")
        let merged = Merged(report("old", "3"), report("old", "3"), renamed)
        #expect(merged.merge.report.renamed == ["old": "new"])
    }

    @Test("Chapters with the ISBN and file of their book are two works")
    func chapters() {
        func chapter(_ key: String, _ title: String, _ pages: String) -> String {
            "@incollection{\(key), isbn = {1}, title = {\(title)}, pages = {\(pages)}, bdsk-file-1 = {b.pdf}}\n"
        }
        expectTwoWorks(chapter("old", "One", "1--9"), chapter("new", "Two", "10--19"))
        for renamed in [chapter("new", "Two", "1--9"), chapter("new", "One", "10--19")] {
            let old = chapter("old", "One", "1--9")
            #expect(Merged(old, old, renamed).merge.report.renamed == ["old": "new"])
        }
    }

    @Test("A year in braces, a bare year and the year of a date are the same")
    func yearsAndDates() {
        func entry(_ key: String, _ year: String) -> String {
            "@misc{\(key), author = {A}, editor = {E}, address = {R}, month = jan, note = {N}, series = {S}, publisher = {P}, howpublished = {H}, \(year)}\n"
        }
        let years = ["year = 1999", "year = {1999}", "date = {1999-01-02}"]
        for old in years {
            for new in years where new != old {
                let merged = Merged(entry("k", old), entry("k", old), entry("new", new))
                #expect(merged.merge.report.renamed == ["k": "new"], "\(old), \(new)")
            }
        }
    }

    @Test("Of many new entries with one title, the last one counts as well")
    func manyCandidates() {
        func entry(_ key: String, _ rest: String) -> String {
            "@misc{\(key), title = {Editorial}, author = {A}, journal = {J}, publisher = {P}\(rest)}\n"
        }
        let old = entry("k", "")
        for count in [7, 8, 9, 20] {
            // The first and the last one resemble the old one, and the others do not.
            let new = (1...count).map {
                entry(
                    "n\($0)", $0 == 1 || $0 == count ? ", note = {\($0)}" : ", number = \($0), x = 1, y = 2")
            }
            let merged = Merged(old, old, new.joined())
            #expect(merged.merge.report.renamed == [:], "\(count)")
            // With a DOI it is found among all of them.
            let named = new.dropLast() + [entry("last", ", doi = {10.1/x}")]
            let known = entry("k", ", doi = {10.1/x}")
            let found = Merged(known, known, named.dropFirst().joined())
            #expect(found.merge.report.renamed == ["k": "last"], "\(count)")
        }
    }

    @Test("An entry that could have become either of two new ones is matched with neither")
    func twoCandidates() {
        let (one, other) = (base.replacing("{k,", with: "{n1,"), base.replacing("{k,", with: "{n2,"))
        let merged = Merged(base, base.replacing("A talk", with: "A lecture"), one + other)
        #expect(Set(merged.keys) == ["k", "n1", "n2"] && merged.merge.report.renamed == [:])
        #expect(merged.text.contains("{A lecture}") && merged.text.contains("{A talk}"))
        // Two entries that became one are not matched either.
        let twins = base + base.replacing("{k,", with: "{l,")
        let joined = Merged(twins, twins.replacing("A talk", with: "A lecture"), one)
        #expect(Set(joined.keys) == ["k", "l", "n1"] && joined.merge.report.renamed == [:])
    }

    @Test("An entry without fields is not matched with another entry without fields")
    func empty() {
        let merged = Merged(
            "@misc{k,}\n@a{z, x = 1}\n", "@misc{k,}\n@a{z, x = 2}\n", "@misc{n,}\n@a{z, x = 1}\n")
        #expect(merged.merge.report.renamed == [:])
        #expect(merged.merge.report.tombstones.map(\.key) == ["k"])
    }
}
