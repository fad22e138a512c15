import BibTeX
import BibliographySync
import Testing

@Suite("Papers with the same name take turns in a flat folder")
struct FlatPlaceTests {
    private let place = MemoryWorld.papers + "x.pdf"

    /// A world in which one of two papers with the same name is on the device.
    private func synced() throws -> MemoryWorld {
        let world = MemoryWorld()
        world.mapping.isFlat = true
        world.mapping.unplaced = ["B/x.pdf"]
        world.host.write(
            "refs.bib",
            bib(
                ("a", "A", ["A/x.pdf"]), ("b", "B", ["B/x.pdf"]), ("c", "C", []), ("d", "D", []),
                ("e", "E", [])))
        world.host.write("A/x.pdf", "paper a")
        world.host.write("B/x.pdf", "paper b, another one")
        #expect(try world.sync().lines == ["add refs.bib", "add A/x.pdf", "keep B/x.pdf"])
        return world
    }

    /// Deletes the entry of the paper that is on the device.
    private func deleteEntry(_ world: MemoryWorld) throws {
        world.options.deletes = true
        world.options.isForced = true
        let entry = BibTeXDocument(Array(world.hostText.utf8)).blocks[0]
        world.edit(String(decoding: entry.body, as: UTF8.self), "")
        world.mapping.unplaced = []
    }

    private func links(_ world: MemoryWorld) -> [String?] {
        BibTeXDocument(Array(world.hostText.utf8)).blocks.flatMap(\.linkedFiles).map(\.relativePath)
    }

    @Test("A freed name goes to the paper of the other entry, which gets no link to the former paper")
    func freedName() throws {
        let world = try synced()
        try deleteEntry(world)
        let outcome = try world.sync()
        #expect(outcome.files == ["update refs.bib", "replace B/x.pdf"] && outcome.failures == [:])
        #expect(world.device.text(place) == "paper b, another one" && links(world) == ["B/x.pdf"])
        #expect(world.host.text("A/x.pdf") == "paper a")
        #expect(try world.sync().rows == [])
    }

    @Test("If the folder no longer has the former paper, it goes to the trash before its name is free")
    func onlyCopy() throws {
        let world = try synced()
        try deleteEntry(world)
        world.host.files["A/x.pdf"] = nil
        let outcome = try world.sync()
        #expect(outcome.row("B/x.pdf")?.action == .keep && outcome.row("A/x.pdf")?.action == .remove)
        #expect(world.host.trash["A/x.pdf"] == Array("paper a".utf8))
        #expect(try world.sync().lines == ["add B/x.pdf"])
        #expect(world.device.text(place) == "paper b, another one" && links(world) == ["B/x.pdf"])
    }

    @Test("A linked file that is missing in the folder does not get the bytes of another paper")
    func missing() throws {
        let world = try synced()
        try deleteEntry(world)
        world.host.files["B/x.pdf"] = nil
        let outcome = try world.sync()
        #expect(outcome.row("B/x.pdf")?.action == .keep && world.host.text("B/x.pdf") == nil)
    }

    @Test(
        "A paper that loses and regains its name does not get the bytes of the other paper")
    func takenName() throws {
        let world = try synced()
        world.mapping.unplaced = ["A/x.pdf"]
        #expect(try world.sync().row("B/x.pdf")?.action == .replace)
        world.mapping.unplaced = ["B/x.pdf"]
        #expect(try world.sync().row("A/x.pdf")?.action == .replace)
        #expect(world.host.text("A/x.pdf") == "paper a" && world.device.text(place) == "paper a")
        #expect(world.host.text("B/x.pdf") == "paper b, another one")
        #expect(links(world) == ["A/x.pdf", "B/x.pdf"])
    }

    @Test("A paper does not get what the app writes to another paper that had its name and bytes")
    func sameBytes() throws {
        let world = try synced()
        world.mapping.unplaced = ["A/x.pdf"]
        try world.sync()
        world.host.write("A/x.pdf", "paper b, another one")
        world.mapping.unplaced = ["B/x.pdf"]
        try world.sync()
        world.device.write(place, "paper a with notes")
        #expect(try world.sync().row("A/x.pdf")?.changesHost == true)
        world.mapping.unplaced = ["A/x.pdf"]
        #expect(try world.sync().row("B/x.pdf")?.action == .replace)
        #expect(world.host.text("B/x.pdf") == "paper b, another one")
        #expect(world.host.text("A/x.pdf") == "paper a with notes")
        #expect(world.device.text(place) == "paper b, another one")
    }
}
