import BibTeX
import BibTeXMerging
import Testing

@Suite("A comment that one side changed is not lost with an entry that the other deleted")
struct CommentedDeletionTests {
    private static let entries = ["a", "b", "c"].map { "@book{\($0), title = {Title of \($0)}}\n" }

    /// A library in which entries have comments, except the omitted entries.
    private func text(_ comments: [Int: String] = [:], without gone: Int? = nil) -> String {
        Self.entries.indices.filter { $0 != gone }.map {
            (comments[$0].map { $0 + "\n" } ?? "") + Self.entries[$0]
        }
        .joined()
    }

    private func text(of document: BibTeXDocument) -> String {
        String(decoding: document.bytes, as: UTF8.self)
    }

    @Test(
        "The comment and its entry stay, whichever side deleted the entry", arguments: [true, false],
        [0, 1, 2])
    func changedComment(isDeletedByHost: Bool, place: Int) {
        for (before, after) in [("Old words.", "New words."), (nil, "New words.")] as [(String?, String)] {
            for deletes in [true, false] {
                let base = library(text(before.map { [place: $0] } ?? [:]))
                let changed = library(text([place: after]))
                let deleted = library(text(without: place))
                let merged = BibTeXMerge(
                    base: base, host: isDeletedByHost ? deleted : changed,
                    device: isDeletedByHost ? changed : deleted, deletes: deletes)
                #expect(text(of: merged.document).contains(after), "deletes: \(deletes)")
                let again = BibTeXMerge(
                    base: merged.agreed, host: merged.document, device: merged.deviceDocument, deletes: true)
                #expect(text(of: again.document).contains(after), "deletes: \(deletes)")
            }
        }
    }

    @Test("An unchanged comment is removed with its entry", arguments: [true, false])
    func unchangedComment(isDeletedByHost: Bool) {
        let base = library(text([1: "Old words."]))
        let deleted = library(text(without: 1))
        let merged = BibTeXMerge(
            base: base, host: isDeletedByHost ? deleted : base, device: isDeletedByHost ? base : deleted,
            deletes: true)
        #expect(!text(of: merged.document).contains("Title of b"))
        #expect(merged.report.tombstones.map(\.key) == ["b"])
    }
}
