import BibTeX
import BibTeXMerging
import TestSupport
import Testing

/// Entries of one author and year that differ in one field, and two changed libraries of them.
private struct Series {
    var base = ""
    /// Some keys are changed, one entry is deleted, and a similar one is added.
    var one = ""
    /// Some entries have a note.
    var other = ""
    /// The changed keys.
    var renames: [String: String] = [:]
    var count = 0
    /// The key of the deleted entry.
    var deleted = ""
    /// Whether the deleted entry has a note on the other side.
    var isNoted = false

    init(_ random: inout SeededGenerator) {
        let field = ["title", "number", "pages", "volume", "doi"].randomElement(using: &random) ?? ""
        func entry(_ key: String, _ value: Int, _ note: String = "") -> String {
            "@misc{\(key), author = {Lima}, year = 1999, month = jan, howpublished = {H}, address = {Rio}, \(field) = {v\(value)}\(note)}\n"
        }
        count = Int.random(in: 1...4, using: &random)
        let gone = Int.random(in: 0..<count, using: &random)
        for place in 0..<count {
            let hasNote = Bool.random(using: &random)
            base += entry("k\(place)", place)
            other += entry("k\(place)", place, hasNote ? ", note = {N\(place)}" : "")
            if place == gone {
                (deleted, isNoted) = ("k\(place)", hasNote)
            } else if Bool.random(using: &random) {
                renames["k\(place)"] = "r\(place)"
                one += entry("r\(place)", place)
            } else {
                one += entry("k\(place)", place)
            }
        }
        one += entry("new", count)
    }
}

@Suite("Changed keys are found among similar entries")
struct RenamePropertyTests {
    @Test(
        "An entry is not mistaken for another of its series when one was deleted and one was added",
        arguments: 0..<4)
    func series(quarter: Int) {
        var random = SeededGenerator(seed: 400 + UInt64(quarter))
        for round in 0..<25 {
            let series = Series(&random)
            for (host, device) in [(series.one, series.other), (series.other, series.one)] {
                for deletes in [true, false] {
                    let merge = BibTeXMerge(
                        base: library(series.base), host: library(host), device: library(device),
                        deletes: deletes)
                    #expect(merge.report.renamed == series.renames, "round \(round)")
                    let isDeleted = deletes && !series.isNoted
                    let keys = merge.agreed.blocks.compactMap(\.key)
                    #expect(keys.count == series.count + (isDeleted ? 0 : 1), "round \(round): \(keys)")
                    #expect(keys.contains(series.deleted) == !isDeleted, "round \(round): \(keys)")
                    #expect(
                        merge.report.tombstones.map(\.key) == (isDeleted ? [series.deleted] : []),
                        "round \(round)")
                }
            }
        }
    }
}
