import BibTeX
import BibTeXMerging
import Foundation
import Testing

@Suite("A comment stays although the block behind it goes")
struct StrayTextTests {
    private func text(_ document: BibTeXDocument) -> String {
        String(decoding: document.bytes, as: UTF8.self)
    }

    private static let entry = "@book{a, title = {A}}\n"

    @Test(
        "A comment that the device changed before a block that the folder's side deleted",
        arguments: ["@string{m = {Macro}}\n", "@preamble{{Words}}\n", "@comment{Words}\n"])
    func changedBeforeDeleted(block: String) {
        let merged = Merged(
            "% Head\n\n\(Self.entry)\n% Old\n% Stays\n\(block)", "% Head\n\n\(Self.entry)",
            "% Head\n\n\(Self.entry)\n% New\n% Stays\n\(block)")
        #expect(merged.text == "% Head\n\n\(Self.entry)% New\n% Stays\n")
        #expect(merged.merge.report.tombstones.count == 1)
    }

    @Test("It goes before the next block that is left")
    func nextBlock() {
        let macro = "@string{m = {Macro}}\n"
        let merged = Merged(
            "% Head\n\n\(macro)\n\(Self.entry)", "% Head\n\n\(Self.entry)",
            "% Head\n\n% New\n\(macro)\n\(Self.entry)")
        #expect(merged.text == "% Head\n\n% New\n\(Self.entry)")
    }

    @Test("A letter that the file's encoding lacks makes it UTF-8")
    func missingLetter() {
        let (macro, latin) = ("@string{m = {Macro}}\n", Array("% ".utf8) + [0xE9, 0x0A])
        let entry = Array(Self.entry.utf8)
        let base = BibTeXDocument(latin + entry + Array(macro.utf8), fallback: .latin1)
        let host = BibTeXDocument(latin + entry, fallback: .latin1)
        let device = library("% é\n" + Self.entry + "% 日\n" + macro)
        let merged = BibTeXMerge(base: base, host: host, device: device)
        #expect(merged.document.encoding == .utf8)
        #expect(text(merged.document).contains("% 日\n"))
    }

    @Test("The beginning of a line at the end of a file that was cut off is not a comment")
    func cutOff() {
        let merged = Merged(
            Self.entry + "% A last remark\n", Self.entry + "% A last remark\n", Self.entry + "% A la")
        #expect(merged.text == Self.entry + "% A last remark\n")
    }

    @Test("A comment that goes to a held-back entry is not doubled")
    func heldBack() {
        let other = "@book{b, title = {B}}\n"
        let base = library("% Head\n\n@string{m = {M}}\n\n% Words\n\n\(Self.entry)\n\(other)")
        var host = library("% Head\n\n@string{m = {M}}\n\n% Words\n\n\(Self.entry)")
        var device = library("% Head\n\n@string{m = {M}}\n\n\(other)")
        var agreed = base
        for _ in 0..<3 {
            let merged = BibTeXMerge(base: agreed, host: host, device: device, deletes: false)
            #expect(merged.report.heldBack.map(\.key) == ["a", "b"])
            (agreed, host, device) = (merged.agreed, merged.document, merged.deviceDocument)
            #expect(text(agreed).components(separatedBy: "% Words").count == 2)
            #expect(text(device).components(separatedBy: "% Words").count == 2)
        }
    }

    @Test("Equal comments before entries do not grow while the deletion of one is held back")
    func equalComments() {
        let macro = "@string{m = {M}}\n"
        let rule = "% ------\n\n"
        let other = "@book{b, title = {B}}\n"
        var agreed = library("\(macro)\n\(rule)\(Self.entry)\n\(rule)\(other)")
        var host = agreed
        var device = library("\(macro)\n\(rule)\n\n\(rule)\(other)")
        for _ in 0..<3 {
            let merged = BibTeXMerge(base: agreed, host: host, device: device, deletes: false)
            #expect(merged.report.heldBack.map(\.key) == ["a"])
            (agreed, host, device) = (merged.agreed, merged.document, merged.deviceDocument)
            #expect(text(host).components(separatedBy: "% ------").count == 3)
            #expect(text(device).components(separatedBy: "% ------").count == 3)
        }
    }

    @Test("Of equal comments each entry that the host deleted keeps its own on the device")
    func equalCommentsOfHeldBack() {
        let macro = "@string{m = {M}}\n"
        let rule = "% ------\n"
        let other = "@book{b, title = {B}}\n"
        let base = library("\(macro)\n\(rule)\(Self.entry)\n\(rule)\(other)")
        let host = library("\(macro)\n\(rule)\(Self.entry)")
        let merged = BibTeXMerge(base: base, host: host, device: base, deletes: false)
        #expect(text(merged.deviceDocument).components(separatedBy: rule).count == 3)
    }
}
