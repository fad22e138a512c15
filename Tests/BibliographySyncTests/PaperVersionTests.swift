import Diagnostics
import BibTeX
import BibliographySync
import Testing

@Suite("Papers that both sides changed stay in both versions")
struct PaperVersionTests {
    private let papers = MemoryWorld.papers

    @Test("If both sides changed a paper, both versions stay on both sides, and the entry links to both")
    func bothChanged() throws {
        let world = try MemoryWorld.synced()
        world.host.write("P/a.pdf", "host's a")
        world.device.write(papers + "P/a.pdf", "device's a")
        let outcome = try world.sync()
        let other = "P/a (device 2026-07-18).pdf"
        #expect(outcome.row("P/a.pdf")?.action == .conflict && outcome.failures == [:])
        let row = outcome.row("a")
        #expect(row?.action == .update && row?.changesHost == true && row?.changesDevice == true)
        #expect(row?.details == "- files = P/a.pdf\n+ files = P/a.pdf, \(other)")
        for (folder, prefix) in [(world.host, ""), (world.device, papers)] {
            #expect(folder.text(prefix + "P/a.pdf") == "host's a")
            #expect(folder.text(prefix + other) == "device's a")
        }
        for text in [world.hostText, world.deviceText] {
            let block = BibTeXDocument(Array(text.utf8)).blocks[0]
            #expect(block.linkedFiles.map(\.relativePath) == ["P/a.pdf", other])
        }
        #expect(try world.sync().rows == [])
    }

    @Test("Several papers of one entry that both sides changed are linked beside one another")
    func severalChanged() throws {
        let world = MemoryWorld()
        let links = ["P/a.pdf", "P/b.pdf", "P/a.pdf"]
        world.host.write("refs.bib", bib(("a", "A", links), ("b", "B", ["P/b.pdf"])))
        for name in ["P/a.pdf", "P/b.pdf"] { world.host.write(name, "paper") }
        try world.sync()
        for name in ["P/a.pdf", "P/b.pdf"] {
            world.host.write(name, "host's \(name)")
            world.device.write(papers + name, "device's \(name)")
        }
        let outcome = try world.sync()
        let (a, b) = ("P/a (device 2026-07-18).pdf", "P/b (device 2026-07-18).pdf")
        #expect(
            outcome.lines == [
                "update a", "update b", "update refs.bib", "conflict P/a.pdf", "conflict P/b.pdf",
            ])
        for text in [world.hostText, world.deviceText] {
            let blocks = BibTeXDocument(Array(text.utf8)).blocks.filter { $0.kind == .entry }
            #expect(
                blocks.map { $0.linkedFiles.map(\.relativePath) } == [
                    ["P/a.pdf", a, "P/b.pdf", b, "P/a.pdf"], ["P/b.pdf", b],
                ])
        }
        #expect(try world.sync().rows == [])
    }

    @Test("On the first run equal papers are agreed on, and different ones both stay")
    func firstMeeting() throws {
        let world = MemoryWorld.withPapers()
        world.device.write(papers + "P/a.pdf", "paper a")
        world.device.write(papers + "P/b.pdf", "another b")
        let outcome = try world.sync()
        #expect(outcome.row("P/a.pdf") == nil && outcome.row("P/b.pdf")?.action == .conflict)
        #expect(world.host.text("P/b (device 2026-07-18).pdf") == "another b")
    }

    @Test("A second conflict on one day gets another number")
    func twoConflicts() throws {
        let world = try MemoryWorld.synced()
        for number in 1...2 {
            world.host.write("P/a.pdf", "host \(number)")
            world.device.write(papers + "P/a.pdf", "device \(number)")
            try world.sync()
        }
        #expect(world.host.text("P/a (device 2026-07-18).pdf") == "device 1")
        #expect(world.host.text("P/a (device 2026-07-18 2).pdf") == "device 2")
    }

    @Test("Both versions of a paper with a long name stay, under a name that is short enough")
    func longName() throws {
        let name = "P/" + String(repeating: "ä", count: 123) + ".pdf"
        let world = MemoryWorld()
        world.host.write("refs.bib", bib(("a", "A", [name]), ("b", "B", [])))
        world.host.write(name, "paper")
        try world.sync()
        world.host.write(name, "host's paper")
        world.device.write(papers + name, "device's paper")
        #expect(try world.sync().failures == [:])
        let other = "P/" + String(repeating: "ä", count: 115) + " (device 2026-07-18).pdf"
        #expect(
            world.host.text(other) == "device's paper"
                && world.device.text(papers + other) == "device's paper")
        #expect(world.hostText.contains(FileLink(path: other).value))
        #expect(try world.sync().rows == [])
    }

    @Test("Nothing links to the device's version of a paper if that cannot come to the host")
    func versionThatFails() throws {
        let world = try MemoryWorld.synced()
        world.host.write("P/a.pdf", "host's paper")
        world.device.write(papers + "P/a.pdf", "device's paper")
        let text = world.hostText
        world.interruption.restart()
        world.interruption.refusesVersions = true
        let outcome = try world.sync()
        #expect(outcome.failures["P/a.pdf"] != nil)
        #expect(world.hostText == text && world.deviceText == text)
        #expect(
            world.device.text(papers + "P/a.pdf") == "device's paper"
                && world.host.text("P/a.pdf") == "host's paper")
        world.interruption.refusesVersions = false
        #expect(try world.sync().failures == [:])
        #expect(world.hostText.contains(FileLink(path: "P/a (device 2026-07-18).pdf").value))
    }

    @Test("Another file with the name of the device's version is not mistaken for it")
    func takenName() throws {
        let world = try MemoryWorld.synced()
        world.host.write("P/a.pdf", "host's paper")
        world.device.write(papers + "P/a.pdf", "device's paper")
        let text = world.hostText
        world.afterPlan = { world.host.write("P/a (device 2026-07-18).pdf", "something else") }
        let outcome = try world.sync()
        #expect(outcome.failures["P/a.pdf"]?.code == .changed)
        #expect(world.hostText == text && world.deviceText == text)
        #expect(world.device.text(papers + "P/a.pdf") == "device's paper")
        #expect(try world.sync().failures == [:])
        #expect(world.host.text("P/a (device 2026-07-18 2).pdf") == "device's paper")
    }

    @Test("A bibliography that an editor is saving while a version cannot come is not deleted on the device")
    func versionThatFailsWhileSaving() throws {
        let world = try MemoryWorld.synced()
        world.host.write("P/a.pdf", "host's paper")
        world.device.write(papers + "P/a.pdf", "device's paper")
        let text = world.hostText
        world.options.deletes = true
        world.interruption.refusesVersions = true
        world.afterPlan = { world.host.files["refs.bib"] = nil }
        let outcome = try world.sync()
        #expect(outcome.failures["P/a.pdf"] != nil)
        #expect(world.deviceText == text)
        world.host.write("refs.bib", text)
        world.interruption.refusesVersions = false
        #expect(try world.sync().failures == [:])
    }
}
