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

    @Test("The comment moves before the next remaining block")
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

    /// Whether the number of comments stays the same in both libraries in three runs while deletions are held back.
    private func expectAtRest(
        _ comment: String, times: Int, base: String, host: String, device: String, heldBack: [String]
    ) {
        var (agreed, host, device) = (library(base), library(host), library(device))
        for round in 0..<3 {
            let merged = BibTeXMerge(base: agreed, host: host, device: device, deletes: false)
            #expect(merged.report.heldBack.map(\.key) == heldBack, "round \(round)")
            (agreed, host, device) = (merged.agreed, merged.document, merged.deviceDocument)
            for document in [host, device] {
                #expect(text(document).components(separatedBy: comment).count == times + 1, "round \(round)")
            }
        }
    }

    private static let macro = "@string{m = {M}}\n"
    private static let other = "@book{b, title = {B}}\n"

    @Test("A comment that goes to a held-back entry is not doubled")
    func heldBack() {
        let head = "% Head\n\n\(Self.macro)"
        let host = "\(head)\n% Words\n\n\(Self.entry)"
        expectAtRest(
            "% Words", times: 1, base: "\(host)\n\(Self.other)", host: host, device: "\(head)\n\(Self.other)",
            heldBack: ["a", "b"])
    }

    @Test("Equal comments before entries do not grow while the deletion of one is held back")
    func equalComments() {
        let rule = "% ------\n\n"
        let base = "\(Self.macro)\n\(rule)\(Self.entry)\n\(rule)\(Self.other)"
        expectAtRest(
            "% ------", times: 2, base: base, host: base,
            device: "\(Self.macro)\n\(rule)\n\n\(rule)\(Self.other)", heldBack: ["a"])
    }

    @Test("Each entry that the host deleted keeps its own one of several equal comments on the device")
    func equalCommentsOfHeldBack() {
        let rule = "% ------\n"
        let base = library("\(Self.macro)\n\(rule)\(Self.entry)\n\(rule)\(Self.other)")
        let host = library("\(Self.macro)\n\(rule)\(Self.entry)")
        let merged = BibTeXMerge(base: base, host: host, device: base, deletes: false)
        #expect(text(merged.deviceDocument).components(separatedBy: rule).count == 3)
    }
}
