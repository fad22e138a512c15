import BibTeX
import BibTeXMerging
import Testing

@Suite("A macro that one side deleted stays if the other uses it")
struct UsedMacroTests {
    private let base =
        "@string{jx = {Journal X}}\n\n@article{a,\n\tjournal = jx}\n\n@book{b,\n\ttitle = {B}}\n"

    private func merge(_ base: String, _ host: String, _ device: String, deletes: Bool) -> BibTeXMerge {
        BibTeXMerge(base: library(base), host: library(host), device: library(device), deletes: deletes)
    }

    private func macros(_ document: BibTeXDocument) -> [String] {
        document.blocks.filter { $0.kind == .string }.flatMap { block in block.fields.map(block.name) }
    }

    @Test(
        "The macro stays on both sides, whichever side deleted it", arguments: [true, false], [true, false])
    func used(deletes: Bool, isMirrored: Bool) {
        let without = base.replacing("@string{jx = {Journal X}}\n\n", with: "")
            .replacing("= jx", with: "= {Journal X}")
        let using = base.replacing("{B}}", with: "{B},\n\tjournal = jx}")
        let merged =
            isMirrored
            ? merge(base, using, without, deletes: deletes) : merge(base, without, using, deletes: deletes)
        #expect(macros(merged.document) == ["jx"])
        #expect(macros(merged.deviceDocument) == ["jx"])
        #expect(macros(merged.agreed) == ["jx"])
        #expect(merged.report.tombstones == [] && merged.report.heldBack == [])
    }

    @Test("A macro that only another macro uses stays, and is defined before it", arguments: [true, false])
    func chain(deletes: Bool) {
        let old = base + "@string{jy = {Y}}\n"
        let without = old.replacing("@string{jx = {Journal X}}\n\n", with: "")
            .replacing("= jx", with: "= {Journal X}")
        let using = old.replacing("jy = {Y}}", with: "jy = jx # {Y}}") + "@misc{z, journal = jy}\n"
        #expect(macros(merge(old, without, using, deletes: deletes).document) == ["jx", "jy"])
        // A comment stays with the macro after it.
        let about = "% about jy\n@string{jy"
        let commented = [old, without, using].map { $0.replacing("@string{jy", with: about) }
        let text = String(
            decoding: merge(commented[0], commented[1], commented[2], deletes: deletes).document.bytes,
            as: UTF8.self)
        #expect(text.contains(about))
        // A macro that only a deleted macro uses is not in use.
        let both = "@string{jx = {X}}\n@string{jy = jx # {Y}}\n@misc{z, title = {T}}\n"
        let gone = "@misc{z, title = {U}}\n"
        let merged = merge(both, both.replacing("{T}", with: "{V}"), gone, deletes: true)
        #expect(macros(merged.document) == [])
    }
}
