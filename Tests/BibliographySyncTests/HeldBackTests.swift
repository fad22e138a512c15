import BibTeX
import BibliographySync
import Testing

@Suite("Deletions are synced only with --delete")
struct HeldBackTests {
    /// The elements that can be deleted, and the names of their rows.
    enum Part: String, CaseIterable {
        case macro = "unused"
        case group = "Two"
        case preamble = "preamble"
        case comment = "comment"
        case info = "notes on the document"
        case entry = "b"

        var text: String {
            switch self {
            case .macro: "@string{unused = {Unused}}\n"
            case .group:
                "\n<dict><key>group name</key><string>Two</string><key>keys</key><string>b</string></dict>"
            case .preamble: "@preamble{\"\\foo\"}\n"
            case .comment: "@comment{my note}\n"
            case .info: "@bibdesk_info{document_info,\n\tName = {x}\n}\n"
            case .entry: "\n@article{b,\n\ttitle = {B}}\n"
            }
        }
    }

    private static let text =
        "% head\n" + Part.info.text + Part.preamble.text + "@string{used = {Used}}\n" + Part.macro.text
        + Part.comment.text + "\n@article{a,\n\ttitle = {A},\n\tjournal = used}\n" + Part.entry.text
        + "\n@article{c,\n\ttitle = {C}}\n\n@article{d,\n\ttitle = {D}}\n\n@article{e,\n\ttitle = {E}}\n\n"
        + "@comment{BibDesk Static Groups{\n<plist version=\"1.0\"><array>"
        + "\n<dict><key>group name</key><string>One</string><key>keys</key><string>a</string></dict>"
        + Part.group.text
        + "\n<dict><key>group name</key><string>Three</string><key>keys</key><string>c</string></dict>"
        + "\n</array></plist>\n}}\n"

    private func synced() throws -> MemoryWorld {
        let world = MemoryWorld()
        world.host.write("refs.bib", Self.text)
        try world.sync()
        #expect(world.deviceText == Self.text)
        return world
    }

    @Test(
        "An entry that the device deleted stays on the host until --delete, and does not come back",
        arguments: Part.allCases)
    func onDevice(_ part: Part) throws {
        let world = try synced()
        world.editDevice(part.text, "")
        var outcome = try world.sync()
        #expect(outcome.lines == ["keep \(part.rawValue)"])
        #expect(world.hostText == Self.text && world.deviceText == Self.text.replacing(part.text, with: ""))
        world.edit("{E}", "{E2}")
        world.editDevice("{D}", "{D2}")
        outcome = try world.sync()
        #expect(outcome.row(part.rawValue)?.action == .keep)
        #expect(world.hostText == Self.text.replacing("{E}", with: "{E2}").replacing("{D}", with: "{D2}"))
        #expect(!world.deviceText.contains(part.text.split(separator: "\n").joined()))
        #expect(world.deviceText.contains("{E2}"))
        world.options.deletes = true
        outcome = try world.sync()
        #expect(
            outcome.row(part.rawValue)?.action == .remove && outcome.row(part.rawValue)?.changesHost == true)
        #expect(
            BibTeXDocument(Array(world.hostText.utf8)).groups.map(\.name)
                == (part == .group ? ["One", "Three"] : ["One", "Two", "Three"]))
        if part != .group { #expect(!world.hostText.contains(part.text)) }
        #expect(try world.sync().rows == [])
    }

    @Test(
        "A comment that the host adds beside a deletion is not lost, nor one of the device before the entry",
        arguments: [true, false])
    func comments(isOfHost: Bool) throws {
        let world = try synced()
        world.edit(Part.entry.text, "")
        if isOfHost {
            world.edit("@article{c", "% remark\n@article{c")
        } else {
            try world.sync()
            world.editDevice("@article{b", "% remark\n@article{b")
            world.edit("{E}", "{E2}")
        }
        try world.sync()
        world.editDevice("{D}", "{D2}")
        try world.sync()
        world.edit("{A}", "{A2}")
        try world.sync()
        #expect(!isOfHost || world.hostText.contains("% remark"))
        #expect(world.deviceText.contains("% remark"))
        #expect(world.hostText.contains("{D2}") && world.deviceText.contains("@article{b"))
    }

    @Test("An entry that the device deleted does not come back when its parent gets another key")
    func newKeyOfParent() throws {
        let world = MemoryWorld()
        let text =
            "@a{p, t = {P}, doi = {10.1/p}}\n\n@a{c, crossref = {p}}\n\n"
            + (1...6).map { "@a{x\($0), t = {1}}\n" }.joined()
        world.host.write("refs.bib", text)
        try world.sync()
        world.editDevice("@a{c, crossref = {p}}\n\n", "")
        try world.sync()
        world.editDevice("{p, t", "{q, t")
        try world.sync()
        #expect(world.hostText.contains("@a{c, crossref = {q}}") && !world.deviceText.contains("crossref"))
        try world.sync()
        #expect(!world.deviceText.contains("crossref") && world.hostText.contains("crossref"))
    }

    @Test(
        "An entry that the host deleted stays in the device's unchanged file until --delete",
        arguments: Part.allCases)
    func onHost(_ part: Part) throws {
        let world = try synced()
        let device = world.device.files
        world.edit(part.text, "")
        var outcome = try world.sync()
        #expect(outcome.lines == ["keep \(part.rawValue)"])
        #expect(world.device.files == device && world.hostText == Self.text.replacing(part.text, with: ""))
        #expect(try world.sync().rows == [])
        world.editDevice("{D}", "{D2}")
        outcome = try world.sync()
        #expect(outcome.row(part.rawValue)?.action == .keep)
        #expect(world.hostText == Self.text.replacing(part.text, with: "").replacing("{D}", with: "{D2}"))
        #expect(BibTeXDocument(Array(world.deviceText.utf8)).groups.map(\.name) == ["One", "Two", "Three"])
        world.options.deletes = true
        outcome = try world.sync()
        #expect(
            outcome.row(part.rawValue)?.action == .remove && outcome.row(part.rawValue)?.changesDevice == true
        )
        #expect(world.deviceText == world.hostText)
        #expect(try world.sync().rows == [])
    }

    @Test("An entry that both sides deleted does not count as a deletion of the run")
    func deletedOnBoth() throws {
        let world = MemoryWorld()
        world.host.write("refs.bib", bib(("a", "A", []), ("b", "B", []), ("c", "C", []), ("d", "D", [])))
        try world.sync()
        let rest = bib(("c", "C", []), ("d", "D", []))
        world.host.write("refs.bib", rest)
        world.device.write(MemoryWorld.folder + "refs.bib", rest.replacing("{C}", with: "{C2}"))
        let outcome = try world.sync()
        #expect(outcome.lines == ["update c", "update refs.bib"])
        #expect(world.hostText == rest.replacing("{C}", with: "{C2}"))
        let buried = world.state.values.values.map { String(decoding: $0, as: UTF8.self) }
        #expect(buried.contains { $0.contains("@article{a,") && $0.contains("@article{b,") })
    }

    @Test("A link to another version of a paper does not restore what one side has deleted")
    func versionsBesideHeldBack() throws {
        let world = MemoryWorld()
        world.host.write("refs.bib", bib(("a", "A", ["P/a.pdf"]), ("b", "B", []), ("c", "C", [])))
        world.host.write("P/a.pdf", "paper")
        try world.sync()
        world.host.write("refs.bib", bib(("a", "A", ["P/a.pdf"]), ("c", "C", [])))
        try world.sync()
        #expect(world.deviceText.contains("@article{b,") && !world.hostText.contains("@article{b,"))
        world.host.write("P/a.pdf", "host's")
        world.device.write(MemoryWorld.papers + "P/a.pdf", "device's")
        try world.sync()
        #expect(world.host.text("P/a (device 2026-07-18).pdf") == "device's")
        #expect(world.deviceText.contains("@article{b,") && !world.hostText.contains("@article{b,"))
        let links = BibTeXDocument(Array(world.hostText.utf8)).blocks.first { $0.kind == .entry }?.linkedFiles
        #expect(links?.count == 2)
        #expect(try world.sync().rows.allSatisfy { $0.action == .keep })
    }

    @Test("The paper of an entry that the device deleted is not sent again, now or later")
    func paperOfDeletedEntry() throws {
        let world = try MemoryWorld.synced()
        let entry = BibTeXDocument(Array(world.deviceText.utf8)).blocks[0]
        world.editDevice(String(decoding: entry.body, as: UTF8.self), "")
        world.device.files[MemoryWorld.papers + "P/a.pdf"] = nil
        #expect(try world.sync().lines == ["keep a"])
        #expect(try world.sync().rows == [])
        world.edit("{B}", "{B2}")
        #expect(try world.sync().files == ["update refs.bib"])
        #expect(world.device.text(MemoryWorld.papers + "P/a.pdf") == nil)
        #expect(world.host.text("P/a.pdf") == "paper a")
    }

    @Test("A deleted entry is shown in the encoding of its library")
    func deletedInLatin1() throws {
        let world = MemoryWorld()
        func latin1(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }
        let (first, second) = ("@book{a,\n\ttitle = {Nadja, réédité},\n}\n", "@book{b,\n\ttitle = {B},\n}\n")
        world.options.deletes = true
        world.options.isForced = true
        world.host.write(
            "refs.bib", latin1("%% Saved with string encoding Western (ISO Latin 1)\n" + first + second))
        try world.sync()
        world.host.write("refs.bib", latin1("%% Saved with string encoding Western (ISO Latin 1)\n" + second))
        #expect(try world.dryRun().row("a")?.details?.contains("réédité") == true)
    }

    @Test("A changed preamble or comment takes the place of the former one, on the device as well")
    func changed() throws {
        let world = try synced()
        world.edit("\\foo", "\\bar")
        world.editDevice("my note", "your note")
        #expect(try world.sync().lines == ["update refs.bib"])
        let text = Self.text.replacing("\\foo", with: "\\bar").replacing("my note", with: "your note")
        #expect(world.hostText == text && world.deviceText == text)
    }

    @Test("A new cite key is one change with both keys, and deletes nothing")
    func newKey() throws {
        let world = MemoryWorld()
        let texts = ["a", "b", "c", "d"].map { "@a{\($0), t = {\($0)}, doi = {10.1/\($0)}}\n\n" }
        world.host.write("refs.bib", texts.joined())
        try world.sync()
        world.options.deletes = true
        world.edit("{a, t", "{new, note = {N}, t")
        world.editDevice("{b, t", "{other, t")
        world.edit("{c, t", "{C, t")
        world.edit("{d, t", "{ours, t")
        world.editDevice("{d, t", "{theirs, t")
        let plan = try world.dryRun()
        #expect(plan.lines == ["conflict ours", "update other", "update new", "update C", "update refs.bib"])
        #expect(plan.row("new")?.details == "- cite key = a\n+ cite key = new\n+ note = {N}")
        #expect(plan.row("new")?.changesDevice == true && plan.row("new")?.changesHost == false)
        #expect(plan.row("other")?.details == "- cite key = b\n+ cite key = other")
        #expect(plan.row("other")?.changesHost == true && plan.row("other")?.changesDevice == false)
        #expect(plan.row("C")?.details == "- cite key = c\n+ cite key = C")
        #expect(
            plan.row("ours")?.details?.hasPrefix("host: cite key = ours\ndevice: cite key = theirs") == true)
        #expect(try world.sync().rows == plan.rows)
        #expect(try world.sync().rows == [])
    }

    @Test("A comment before an entry that is new, changed or gone has a row, and one that moved has none")
    func changedComment() throws {
        let world = try synced()
        world.edit("\n@article{c", "\n% new\n@article{c")
        #expect(try world.dryRun().row("c")?.details == "+ comment before it = % new")
        try world.sync()
        world.editDevice("% new", "% other")
        let outcome = try world.sync()
        #expect(outcome.lines == ["update c", "update refs.bib"])
        #expect(outcome.row("c")?.details == "- comment before it = % new\n+ comment before it = % other")
        #expect(outcome.row("c")?.changesHost == true && outcome.row("c")?.changesDevice == false)
        world.edit("% other\n@article{c", "@article{c")
        world.edit("\n@article{d", "\n% other\n@article{d")
        #expect(try world.sync().lines == ["update refs.bib"])
        world.edit("% other\n", "")
        #expect(try world.sync().row("d")?.details == "- comment before it = % other")
    }

    @Test("An entry has one row, with both values of every field that is in conflict or changes")
    func oneRow() throws {
        let world = try synced()
        world.edit("\ttitle = {C}", "\ttitle = {C1},\n\tnote = {host}")
        world.editDevice("\ttitle = {C}", "\ttitle = {C2},\n\tyear = {device}")
        world.edit("\ttitle = {D}", "\ttitle = {D},\n\tnote = {host}")
        world.editDevice("\ttitle = {D}", "\ttitle = {D},\n\tyear = {device}")
        let outcome = try world.dryRun()
        #expect(outcome.lines == ["conflict c", "update d", "update refs.bib"])
        #expect(
            outcome.row("c")?.details
                == "host: title = {C1}\ndevice: title = {C2}\n+ year = {device}\n+ note = {host}")
        #expect(outcome.row("d")?.details == "+ year = {device}\n+ note = {host}")
        #expect(outcome.row("d")?.changesHost == true && outcome.row("d")?.changesDevice == true)
    }
}
