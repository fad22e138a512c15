import BibTeX
import BibTeXMerging
import Foundation
import Testing

@Suite("A cite key that is reused for another work overwrites or moves no entry")
struct ReusedKeyTests {
    private static func entry(_ key: String, _ title: String, day: Int, note: String? = nil) -> String {
        "@article{\(key), author = {Ada}, title = {\(title)}, year = 1843,"
            + " date-added = {2024-01-0\(day) 00:00:00 +0000}\(note.map { ", note = {\($0)}" } ?? "")}\n"
    }

    private static func text(_ document: BibTeXDocument) -> String {
        String(decoding: document.bytes, as: UTF8.self)
    }

    private let old = entry("k", "First", day: 1)
    private let noted = entry("k", "First", day: 1, note: "Mine")
    private let other = entry("k", "Second", day: 2)

    private func titles(_ document: BibTeXDocument) -> [String: String] {
        Dictionary(
            document.blocks.compactMap { block in
                block.key.map { ($0, block.value("title")?.plainText ?? "") }
            }, uniquingKeysWith: { "\($0) and \($1)" })
    }

    @Test("Both works stay if the other side changed the first", arguments: [true, false], [true, false])
    func changed(isOnDevice: Bool, deletes: Bool) {
        let merged = BibTeXMerge(
            base: library(old), host: library(isOnDevice ? noted : other),
            device: library(isOnDevice ? other : noted), deletes: deletes)
        let expected =
            isOnDevice ? ["k": "First", "ka": "Second"] : ["k": "Second", "ka": "First"]
        #expect(titles(merged.document) == expected)
        #expect(titles(merged.deviceDocument) == expected)
        #expect(Self.text(merged.document).contains("note = {Mine}"))
        #expect(merged.report.conflicts.map(\.subject) == [.twoEntries])
        let again = BibTeXMerge(
            base: merged.agreed, host: merged.document, device: merged.deviceDocument.forApp())
        #expect(again.document.bytes == merged.document.bytes)
    }

    @Test(
        "The unchanged first work stays on the host unless deletions are synced, and is kept in full if they are"
    )
    func unchanged() {
        let held = BibTeXMerge(base: library(old), host: library(old), device: library(other), deletes: false)
        #expect(titles(held.document) == ["k": "First", "ka": "Second"])
        #expect(titles(held.deviceDocument) == ["ka": "Second"])
        #expect(held.report.heldBack.map(\.key) == ["k"])
        let next = BibTeXMerge(
            base: held.agreed, host: held.document, device: held.deviceDocument.forApp(), deletes: false)
        #expect(next.document.bytes == held.document.bytes)
        #expect(next.deviceDocument.forApp().bytes == held.deviceDocument.forApp().bytes)
        for isOnDevice in [true, false] {
            let merged = BibTeXMerge(
                base: library(old), host: library(isOnDevice ? old : other),
                device: library(isOnDevice ? other : old))
            #expect(titles(merged.document) == ["k": "Second"])
            #expect(merged.report.tombstones.map(\.key) == ["k"])
        }
    }

    @Test("Without deletions, a key that the host gave to another work does not overwrite the device's")
    func heldOnDevice() {
        let held = BibTeXMerge(base: library(old), host: library(other), device: library(old), deletes: false)
        #expect(titles(held.document) == ["k": "Second", "ka": "First"])
        #expect(titles(held.deviceDocument) == ["k": "Second", "ka": "First"])
        #expect(held.report.conflicts.map(\.subject) == [.twoEntries])
    }

    @Test("Without dates of addition, entries without a common field are two works")
    func withoutDates() {
        let base = "@book{k, author = {Dijkstra}, title = {Discipline}, publisher = {PH}, year = 1976}\n"
        let device = "@article{k, author = {Lamport}, title = {Clocks}, journal = {CACM}, year = 1978}\n"
        let host = base.replacing("{PH}", with: "{Prentice Hall}")
        let merged = Merged(base, host, device)
        #expect(titles(merged.merge.document) == ["k": "Discipline", "ka": "Clocks"])
        #expect(merged.conflicts == [.twoEntries])
    }

    @Test("An entry with a corrected title is the same work")
    func corrected() {
        let fields = "journal = {J}, pages = {1--2}, publisher = {P}"
        let base = "@article{k, author = {Ada}, title = {Frist}, \(fields)}\n"
        let device = "@article{k, author = {Ada}, title = {First}, \(fields)}\n"
        let merged = Merged(base, base, device)
        #expect(titles(merged.merge.document) == ["k": "First"])
        #expect(merged.conflicts == [])
        let dated = Merged(old, old, Self.entry("k", "Corrected", day: 1))
        #expect(
            titles(dated.merge.document) == ["k": "Corrected"] && dated.merge.report.deletedByBoth.isEmpty)
    }

    private static let child = "@inbook{c, title = {Chapter}, crossref = {NAME}}\n"
    private static func work(_ key: String, _ title: String) -> String {
        "@book{\(key), title = {\(title)}, isbn = {\(title)}}\n"
    }

    private static func file(_ entries: [(String, String)], parent: String) -> String {
        child.replacing("NAME", with: parent) + entries.map { work($0.0, $0.1) }.joined()
            + GroupText.fixed([("G", parent)])
    }

    @Test("If both sides renamed an entry, groups and parents follow the name that is kept")
    func bothRenamed() {
        let merged = Merged(
            Self.file([("k", "1")], parent: "k"), Self.file([("ours", "1")], parent: "ours"),
            Self.file([("theirs", "1")], parent: "theirs"))
        #expect(titles(merged.merge.document) == ["c": "Chapter", "ours": "1"])
        #expect(merged.groups == ["G: ours", "Sync Conflicts: ours"])
        #expect(merged.fields("c") == ["title={Chapter}", "crossref={ours}"])
    }

    @Test(
        "Groups and parents stay with their entry where its new key is another entry's",
        arguments: [true, false])
    func takenKey(isRenamedByDevice: Bool) {
        let base = Self.file([("k", "1")], parent: "k")
        let renamed = Self.file([("x", "1")], parent: "x")
        let added = Self.file([("k", "1"), ("x", "2")], parent: "k")
        let merged = Merged(base, isRenamedByDevice ? added : renamed, isRenamedByDevice ? renamed : added)
        let (own, new) = isRenamedByDevice ? ("k", "x") : ("x", "xa")
        #expect(titles(merged.merge.document) == ["c": "Chapter", own: "1", new: "2"])
        #expect(merged.groups.first == "G: \(own)")
        #expect(merged.fields("c") == ["title={Chapter}", "crossref={\(own)}"])
        #expect(merged.conflicts.count == 1)
    }

    @Test("Exchanged keys take their groups along", arguments: [true, false])
    func exchangedKeys(isOnDevice: Bool) {
        func file(_ one: String, _ other: String) -> String {
            Self.work(one, "1") + Self.work(other, "2") + GroupText.fixed([("G", one), ("H", other)])
        }
        let (base, new) = (file("a", "b"), file("b", "c"))
        let merged = Merged(base, isOnDevice ? base : new, isOnDevice ? new : base)
        #expect(titles(merged.merge.document) == ["b": "1", "c": "2"])
        #expect(merged.groups == ["G: b", "H: c"])
    }
}

@Suite("An entry that stays keeps its groups although one side deleted it")
struct KeptMemberTests {
    private static func text(_ keys: String, note: String = "") -> String {
        keys.map { "@book{\($0), title = {T\($0)\($0 == "b" ? note : "")}}\n" }.joined()
            + GroupText.fixed([("G", keys.map(String.init).joined(separator: ","))])
    }

    private func groups(_ document: BibTeXDocument) -> [[String]] { document.groups.map(\.keys) }

    @Test("A deletion that is held back leaves the member where the entry stays", arguments: [true, false])
    func heldBack(isOnDevice: Bool) {
        let (whole, less) = (Self.text("abc"), Self.text("ac"))
        var agreed = library(whole)
        var host = library(isOnDevice ? whole : less)
        var device = library(isOnDevice ? less : whole)
        for _ in 0..<2 {
            let merged = BibTeXMerge(base: agreed, host: host, device: device, deletes: false)
            (agreed, host, device) = (merged.agreed, merged.document, merged.deviceDocument)
            #expect(groups(host) == [isOnDevice ? ["a", "b", "c"] : ["a", "c"]])
            #expect(groups(device) == [isOnDevice ? ["a", "c"] : ["a", "b", "c"]])
        }
        let released = BibTeXMerge(base: agreed, host: host, device: device)
        #expect(groups(released.document) == [["a", "c"]])
    }

    @Test("An entry that was changed on the other side stays in its group", arguments: [true, false])
    func changed(isDeletedByHost: Bool) {
        let (less, changed) = (Self.text("ac"), Self.text("abc", note: " changed"))
        let merged = Merged(
            Self.text("abc"), isDeletedByHost ? less : changed, isDeletedByHost ? changed : less)
        #expect(merged.groups == ["G: a b c", "Sync Conflicts: b"])
    }

    @Test("A member that the device removed from the group is gone although the host deleted the entry")
    func removedOnDevice() {
        let device = Self.text("abc").replacing("a,b,c", with: "a,c")
        let held = BibTeXMerge(
            base: library(Self.text("abc")), host: library(Self.text("ac")), device: library(device),
            deletes: false)
        #expect(groups(held.deviceDocument) == [["a", "c"]])
    }

    @Test("A member that a side removed from the group alone is gone")
    func removedMember() {
        let less = Self.text("abc").replacing("a,b,c", with: "a,c")
        #expect(Merged(Self.text("abc"), Self.text("abc"), less).groups == ["G: a c"])
    }
}
