import BibTeX
import BibliographySync
import Testing

@Suite("A sync that is cut off anywhere can be repeated")
struct InterruptionTests {
    /// The changes since the last run.
    enum Story: CaseIterable {
        case first, entriesOfBoth, heldBack, deletions, papersOfBoth, newOnDevice, unlinked, damaged
        case linkHeldBack, linkDeleted, freedName, renamedInFolder, renamedOnDevice
    }

    private func world(_ story: Story) throws -> MemoryWorld {
        let world = MemoryWorld()
        let papers = MemoryWorld.papers
        world.host.write(
            "refs.bib",
            bib(
                ("a", "A", ["P/a.pdf"]), ("b", "B", ["P/b.pdf"]), ("c", "C", []), ("d", "D", []),
                ("e", "E", [])))
        world.host.write("P/a.pdf", "paper a")
        world.host.write("P/b.pdf", "paper b")
        if story == .freedName {
            world.mapping.isFlat = true
            world.mapping.unplaced = ["Q/a.pdf"]
            world.host.write("other.bib", bib(("q", "Q", ["Q/a.pdf"])))
            world.host.write("Q/a.pdf", "another paper a")
        }
        if story == .first { return world }
        try world.sync()
        let first = String(decoding: BibTeXDocument(Array(world.hostText.utf8)).blocks[0].body, as: UTF8.self)
        switch story {
        case .first: break
        case .entriesOfBoth:
            world.edit("{A}", "{H}")
            world.editDevice("{A}", "{D}")
            world.editDevice("{B}", "{B2}")
        case .heldBack, .deletions:
            world.options.deletes = story == .deletions
            world.editDevice(first, "")
            world.edit("\n@article{e,\n\ttitle = {E},\n\tyear = 2000}\n", "")
            world.edit("{C}", "{C2}")
            world.editDevice("{C}", "{C3}")
            world.options.share = 0.5
        case .papersOfBoth:
            world.host.write("P/a.pdf", "host's a")
            world.device.write(papers + "P/a.pdf", "device's a")
            world.device.write(papers + "P/b.pdf", "device's b")
            world.edit("{C}", "{C2}")
        case .newOnDevice:
            world.device.write(MemoryWorld.folder + "new.bib", bib(("n", "N", ["n.pdf"])))
            world.device.write(papers + "n.pdf", "new paper")
            world.host.write("P/b.pdf", "host's b")
        case .unlinked:
            world.options.deletes = true
            world.options.isForced = true
            world.edit(first, "")
            world.device.files[papers + "P/b.pdf"] = nil
            let text = world.deviceText
            let second = String(decoding: BibTeXDocument(Array(text.utf8)).blocks[1].body, as: UTF8.self)
            world.editDevice(second, "")
        case .linkHeldBack, .linkDeleted:
            world.options.deletes = story == .linkDeleted
            world.options.isForced = true
            world.editDevice(",\n\tbdsk-file-1 = {\(FileLink(path: "P/a.pdf").value)}", "")
            world.device.files[papers + "P/a.pdf"] = nil
            world.edit("{C}", "{C2}")
            world.editDevice("{D}", "{D2}")
        case .freedName:
            world.options.deletes = true
            world.options.isForced = true
            world.mapping.unplaced = []
            world.edit(first, "")
        case .renamedInFolder:
            world.options.deletes = true
            world.edit(FileLink(path: "P/a.pdf").value, FileLink(path: "P/n.pdf").value)
            world.host.files["P/a.pdf"] = nil
            world.host.write("P/n.pdf", "paper a")
            world.device.write(papers + "P/a.pdf", "paper a with notes")
        case .renamedOnDevice:
            world.options.deletes = true
            world.editDevice(FileLink(path: "P/a.pdf").value, FileLink(path: "P/n.pdf").value)
            world.device.files[papers + "P/a.pdf"] = nil
            world.device.write(papers + "P/n.pdf", "paper a")
            world.host.write("P/a.pdf", "paper a with notes")
        case .damaged:
            world.edit("{C}", "{C2}")
            world.device.write(MemoryWorld.folder + "refs.bib", "@article{a,\n\ttitle = {")
        }
        world.interruption.restart()
        return world
    }

    @Test("The next run ends in the same state as an undisturbed one", arguments: Story.allCases)
    func everyOperation(story: Story) throws {
        let undisturbed = try world(story)
        undisturbed.interruption.restart()
        #expect(try undisturbed.sync().failures == [:])
        let operations = undisturbed.interruption.operations
        let changing = undisturbed.interruption.changing
        let end = undisturbed.everything
        #expect(try undisturbed.sync().rows.filter { $0.action != .keep } == [])
        #expect(undisturbed.everything == end)
        #expect(operations > 5)
        for operation in 1...operations {
            // An answer that was lost has the same effect as none.
            for isAnswerLost in changing.contains(operation) ? [false, true] : [false] {
                let world = try world(story)
                world.interruption.restart()
                (world.interruption.failsAt, world.interruption.isAnswerLost) = (operation, isAnswerLost)
                do {
                    _ = try world.sync()
                } catch {
                    #expect(error is BibliographySyncError)
                }
                #expect(world.interruption.isDead)
                world.interruption.restart()
                let outcome = try world.sync()
                let place: Comment = "operation \(operation) of \(operations), answer lost: \(isAnswerLost)"
                #expect(outcome.failures == [:], place)
                let differences = Set(world.everything.merging(end) { $1 }.keys).filter {
                    world.everything[$0] != end[$0]
                }
                #expect(differences == [], place)
                world.interruption.restart()
                #expect(try world.sync().rows.filter { $0.action != .keep } == [], place)
                #expect(world.interruption.changes == 0, place)
                #expect(world.state.values.keys.filter { $0.hasPrefix("journal") } == [], place)
            }
        }
    }
}
