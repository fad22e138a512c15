import BibTeX
import BibliographySync
import Platform
import Testing

@Suite("A link that only the device removed is a deletion")
struct HeldLinkTests {
    private let papers = MemoryWorld.papers

    /// A link as BibDesk on a Mac writes it, with an alias that only it can follow.
    private static let link = String(
        decoding: Base64.encode(
            Array(
                ("<plist version=\"1.0\"><dict><key>relativePath</key><string>P/a.pdf</string>"
                    + "<key>aliasData</key><data>AAAA</data></dict></plist>").utf8)), as: UTF8.self)

    private func synced(_ middle: String = "") throws -> MemoryWorld {
        let world = MemoryWorld()
        world.host.write(
            "refs.bib",
            "% head\n\n@article{a,\n\tbdsk-file-1 = {\(Self.link)},\(middle)\n\ttitle = {A},\n\tyear = 2000}\n"
                + bib(("b", "B", ["P/b.pdf"]), ("c", "C", []), ("d", "D", [])))
        for name in ["a", "b", "x"] { world.host.write("P/\(name).pdf", "paper \(name)") }
        try world.sync()
        #expect(world.device.text(papers + "P/a.pdf") == "paper a")
        return world
    }

    /// A synced library whose first entry has a link in another program's field.
    private func syncedForeign() throws -> MemoryWorld {
        let world = MemoryWorld()
        world.options.readsArchivesOnly = false
        world.host.write("refs.bib", "@a{a,\n\tfile = {P/a.pdf},\n\tt = {A}}\n\n@a{b, t = {B}}\n")
        world.host.write("P/a.pdf", "paper a")
        try world.sync()
        return world
    }

    /// Removes the paper of the first entry and its link from the device, like `overlayhost delete`.
    private func unlink(_ world: MemoryWorld, _ links: [FileLink] = []) {
        var document = BibTeXDocument(Array(world.deviceText.utf8))
        document.change(document.entryIndexes[0]) {
            BibTeXDocument.setting(links, of: $0, named: { $0 })
        }
        world.device.write(MemoryWorld.folder + "refs.bib", document.bytes)
        world.device.files[papers + "P/a.pdf"] = nil
    }

    @Test("The link stays on the host with its alias, and neither it nor its paper comes back on the device")
    func staysOnHost() throws {
        let world = try synced()
        let before = world.hostText
        unlink(world)
        let device = world.deviceText
        let outcome = try world.sync()
        #expect(outcome.lines == ["keep P/a.pdf"])
        #expect(outcome.rows.first?.reason?.contains("only with --delete") == true)
        #expect(world.hostText == before && world.deviceText == device)
        #expect(try world.sync().rows == [])
        world.edit("{A}", "{A2}")
        world.editDevice("{D}", "{D2}")
        #expect(try world.sync().row("P/a.pdf")?.action == .keep)
        #expect(try world.sync().rows == [])
        #expect(world.hostText == before.replacing("{A}", with: "{A2}").replacing("{D}", with: "{D2}"))
        #expect(world.deviceText == device.replacing("{A}", with: "{A2}").replacing("{D}", with: "{D2}"))
        #expect(world.device.text(papers + "P/a.pdf") == nil && world.host.text("P/a.pdf") == "paper a")
    }

    @Test("With --delete the link is removed, its paper goes to the trash, and the text of the entry is kept")
    func goesWithDelete() throws {
        for isHeldFirst in [true, false] {
            let world = try synced()
            world.options.share = 0.5
            unlink(world)
            if isHeldFirst { try world.sync() }
            world.options.deletes = true
            let outcome = try world.sync()
            #expect(outcome.row("a")?.details?.contains("- files = P/a.pdf") == true)
            #expect(outcome.row("P/a.pdf")?.action == .remove && outcome.failures == [:])
            #expect(!world.hostText.contains(Self.link) && world.host.trash["P/a.pdf"] != nil)
            let kept = world.state.values.filter { $0.key.hasPrefix("deleted-") }.values
            #expect(kept.contains { String(decoding: $0, as: UTF8.self).contains(Self.link) })
            #expect(try world.sync().rows == [])
        }
    }

    @Test("A link that takes the place of another is an ordinary change")
    func replaced() throws {
        let world = try synced()
        unlink(world, [FileLink(path: "P/x.pdf")])
        let outcome = try world.sync()
        #expect(outcome.row("a")?.action == .update)
        let links = BibTeXDocument(Array(world.hostText.utf8)).blocks[0].linkedFiles.map(\.relativePath)
        #expect(links == ["P/x.pdf"])
        #expect(world.device.text(papers + "P/x.pdf") == "paper x")
    }

    @Test(
        "Other changes of the device in the entry come to the host, and the host's new key goes to the device"
    )
    func otherChanges() throws {
        let world = try synced("\n\tdoi = {10.1/a},")
        unlink(world)
        world.editDevice("{A}", "{A2}")
        world.edit("{a,", "{new,")
        try world.sync()
        #expect(world.hostText.contains("{A2}") && world.hostText.contains(Self.link))
        #expect(world.deviceText.contains("{new,"))
        let entry = BibTeXDocument(Array(world.deviceText.utf8)).blocks[0]
        #expect(entry.key == "new" && entry.linkedFiles.isEmpty)
        #expect(try world.sync().rows == [])
        #expect(world.device.text(papers + "P/a.pdf") == nil)
    }

    @Test("A link in the field of another program is held back as well")
    func foreign() throws {
        let world = try syncedForeign()
        let before = world.hostText
        world.editDevice("\n\tfile = {P/a.pdf},", "")
        world.device.files[papers + "P/a.pdf"] = nil
        #expect(try world.sync().lines == ["keep P/a.pdf"])
        world.edit("{B}", "{B2}")
        try world.sync()
        #expect(world.hostText == before.replacing("{B}", with: "{B2}"))
        #expect(!world.deviceText.contains("file") && world.device.text(papers + "P/a.pdf") == nil)
    }

    @Test("A link that the host changed meanwhile is another one, which goes to the device")
    func foreignChanged() throws {
        let world = try syncedForeign()
        world.host.write("P/b.pdf", "paper b")
        world.editDevice("\n\tfile = {P/a.pdf},", "")
        world.edit("P/a.pdf", "P/b.pdf")
        try world.sync()
        #expect(world.hostText.contains("P/b.pdf") && world.deviceText.contains("P/b.pdf"))
        world.options.deletes = true
        try world.sync()
        #expect(world.hostText.contains("P/b.pdf") && world.host.text("P/b.pdf") == "paper b")
    }

    @Test("A link that is held back stays if the device changes the cite key later")
    func renamedLater() throws {
        let world = try synced("\n\tdoi = {10.1/a},")
        unlink(world)
        try world.sync()
        world.editDevice("{a,", "{new,")
        try world.sync()
        #expect(world.hostText.contains("{new,") && world.hostText.contains(Self.link))
        #expect(BibTeXDocument(Array(world.deviceText.utf8)).blocks[0].linkedFiles.isEmpty)
        #expect(try world.sync().rows == [])
    }

    @Test("An entry that takes over the key of one with a link is another work")
    func reusedKey() throws {
        let world = try synced("\n\tdate-added = {2024-01-01 00:00:00 +0000},")
        unlink(world)
        world.editDevice("{A}", "{Other}")
        world.editDevice("2024-01-01", "2024-02-02")
        try world.sync()
        let document = BibTeXDocument(Array(world.hostText.utf8))
        let titles = Dictionary(
            document.blocks.compactMap { block in
                block.key.map { ($0, block.value("title")?.plainText ?? "") }
            }, uniquingKeysWith: { "\($0) and \($1)" })
        #expect(titles["a"] == "A" && titles["aa"] == "Other", "\(titles)")
        #expect(world.hostText.contains(Self.link))
    }
}
