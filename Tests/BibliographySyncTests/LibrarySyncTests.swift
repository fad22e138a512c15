import Diagnostics
import BibTeX
import BibliographySync
import Testing

@Suite("Bibliographies are synced both ways")
struct LibrarySyncTests {
    private func synced(
        _ text: String = bib(("a", "A", []), ("b", "B", []), ("c", "C", []), ("d", "D", []), ("e", "E", []))
    ) throws -> MemoryWorld {
        let world = MemoryWorld()
        world.host.write("refs.bib", text)
        try world.sync()
        return world
    }

    @Test("A library of the host goes to the device, and a second run changes nothing and writes nothing")
    func firstAndSecond() throws {
        let world = MemoryWorld()
        world.host.write("refs.bib", bib(("a", "A", [])))
        world.host.write("refs (Autosaved).bib", "@a{x,}")
        world.host.write("notes.txt", "x")
        #expect(try world.sync().lines == ["add refs.bib"])
        #expect(world.deviceText == world.hostText)
        #expect(world.device.contents.count == 1)
        world.interruption.restart()
        #expect(try world.sync().rows == [])
        #expect(world.interruption.changes == 0)
        // Two listings, the index, the mark and the agreed state of the only library, and its journal.
        #expect(world.interruption.looks == 7)
    }

    @Test("Changes of one side come to the other, with a row for each entry and both values of its fields")
    func oneSide() throws {
        let world = try synced()
        world.edit("{A}", "{A2}")
        var outcome = try world.sync()
        #expect(outcome.lines == ["update a", "update refs.bib"])
        #expect(outcome.row("a")?.details == "- title = {A}\n+ title = {A2}")
        #expect(outcome.row("a")?.changesDevice == true && outcome.row("a")?.changesHost == false)
        #expect(world.deviceText == world.hostText)
        world.editDevice("{B}", "{B2}")
        outcome = try world.sync()
        #expect(outcome.lines == ["update b", "update refs.bib"])
        #expect(
            outcome.row("refs.bib")?.changesHost == true && outcome.row("refs.bib")?.changesDevice == false)
        #expect(world.hostText.contains("{B2}"))
        #expect(try world.sync().rows == [])
    }

    @Test("If both sides changed a field, a conflict row shows both values, and both stay on both sides")
    func conflict() throws {
        let world = try synced()
        world.edit("{A}", "{H}")
        world.editDevice("{A}", "{D}")
        let outcome = try world.sync()
        #expect(outcome.row("a")?.action == .conflict)
        #expect(outcome.row("a")?.details == "host: title = {H}\ndevice: title = {D}")
        #expect(
            outcome.row("a")?.reason
                == "Both changed title: the folder's value stays; the device's is in title-conflict-N.")
        for text in [world.hostText, world.deviceText] {
            #expect(text.contains("title = {H}") && text.contains("title-conflict-1 = {D}"))
            #expect(text.contains("Sync Conflicts"))
        }
        #expect(try world.sync().rows == [])
    }

    @Test("Conflicts of comments, preambles and groups, and deletions, show the values of both sides")
    func otherValues() throws {
        let world = try synced(
            "@preamble{\"P\"}\n\n" + bib(("a", "A", []), ("b", "B", []), ("c", "C", [])) + "@comment{C}\n")
        world.edit("{C}", "{CH}")
        world.edit("\"P\"", "\"PH\"")
        world.editDevice("{C}", "{CD}")
        world.editDevice("\"P\"", "\"PD\"")
        world.edit("\n@article{a,\n\ttitle = {A},\n\tyear = 2000}\n", "")
        world.editDevice("{A}", "{A2}")
        world.edit("\n@article{b,\n\ttitle = {B},\n\tyear = 2000}\n", "")
        world.options.deletes = true
        world.options.isForced = true
        let plan = try world.dryRun()
        #expect(plan.row("comment")?.details == "host: @comment{CH}\ndevice: @comment{CD}")
        #expect(plan.row("preamble")?.details == "host: @preamble{\"PH\"}\ndevice: @preamble{\"PD\"}")
        #expect(
            plan.row("a")?.details?.hasPrefix(
                "host: deleted\ndevice: @article{a,\n\ttitle = {A2},\n\tyear = 2000}") == true)
        #expect(plan.row("b")?.details == "- @article{b,\n\ttitle = {B},\n\tyear = 2000}")
    }

    @Test("A group with other members has a row with its members before and after")
    func changedGroup() throws {
        func groups(_ keys: [String]) -> String {
            var document = BibTeXDocument()
            document.setGroups(.fixed, [BibTeXGroup(name: "G", keys: keys)])
            return String(decoding: document.bytes, as: UTF8.self) + "\n"
        }
        let world = try synced(bib(("a", "A", []), ("b", "B", [])) + groups(["a"]))
        world.edit(groups(["a"]), groups(["a", "b"]))
        let outcome = try world.sync()
        #expect(outcome.lines == ["update G", "update refs.bib"])
        #expect(outcome.row("G")?.details == "- G: a\n+ G: a, b")
        #expect(outcome.row("G")?.changesDevice == true && outcome.row("G")?.changesHost == false)
    }

    @Test("A dry run shows the same plan and changes nothing")
    func dryRun() throws {
        let world = try synced()
        world.edit("{A}", "{H}")
        world.editDevice("{A}", "{D}")
        let before = (world.everything, world.state.values)
        world.interruption.restart()
        let plan = try world.dryRun()
        #expect(world.interruption.changes == 0)
        #expect(world.everything == before.0 && world.state.values == before.1)
        #expect(try world.sync().rows == plan.rows)
    }

    @Test("Deletions are synced only on request, do not come back, and the deleted text is kept")
    func deletions() throws {
        let world = try synced()
        let entry = "\n@article{a,\n\ttitle = {A},\n\tyear = 2000}\n"
        world.editDevice(entry, "")
        #expect(try world.sync().row("a")?.action == .keep)
        #expect(world.hostText.contains("@article{a,") && !world.deviceText.contains("@article{a,"))
        world.edit("{B}", "{B2}")
        try world.sync()
        #expect(world.hostText.contains("@article{a,") && !world.deviceText.contains("@article{a,"))
        #expect(world.deviceText.contains("{B2}"))
        world.edit("\n@article{c,\n\ttitle = {C},\n\tyear = 2000}\n", "")
        try world.sync()
        #expect(!world.hostText.contains("@article{c,") && world.deviceText.contains("@article{c,"))
        world.options.deletes = true
        world.options.share = 0.5
        let outcome = try world.sync()
        #expect(outcome.row("a")?.action == .remove && outcome.row("c")?.action == .remove)
        #expect(!world.hostText.contains("@article{a,") && !world.deviceText.contains("@article{c,"))
        let kept = world.state.values.filter { $0.key.hasPrefix("deleted-2026-07-18") }
        #expect(kept.count == 1)
        let text = kept.values.map { String(decoding: $0, as: UTF8.self) }.joined()
        #expect(text.contains("title = {A}") && text.contains("title = {C}"))
        #expect(try world.sync().rows == [])
    }

    @Test("The text of deleted entries is kept for 90 days")
    func oldDeletions() throws {
        let world = try synced()
        world.options.deletes = true
        world.editDevice("\n@article{a,\n\ttitle = {A},\n\tyear = 2000}\n", "")
        try world.sync()
        world.options.day = "2026-10-16"
        world.edit("{B}", "{B2}")
        try world.sync()
        #expect(world.state.values.keys.contains { $0.hasPrefix("deleted-") })
        world.options.day = "2026-10-17"
        world.edit("{B2}", "{B3}")
        try world.sync()
        #expect(!world.state.values.keys.contains { $0.hasPrefix("deleted-") })
    }

    @Test("A run that would delete more than its share fails unchanged, unless it is forced")
    func share() throws {
        let world = try synced()
        world.options.deletes = true
        world.device.write(
            MemoryWorld.folder + "refs.bib", bib(("a", "A", []), ("b", "B", []), ("c", "C", [])))
        let before = world.everything
        let failure = #expect(throws: BibliographySyncError.self) { try world.sync() }
        #expect(failure?.code == .tooManyDeletions && world.everything == before)
        world.options.isForced = true
        try world.sync()
        #expect(!world.hostText.contains("@article{d,"))
    }

    @Test(
        "A library that was renamed in the folder is not a deletion: nothing is refused, and the rows say so")
    func renamed() throws {
        let world = try synced()
        let text = world.hostText
        world.host.files["refs.bib"] = nil
        world.host.write("new.bib", text)
        let kept = try world.sync()
        #expect(kept.row("refs.bib")?.reason?.hasPrefix("Its entries have moved to new.bib.") == true)
        #expect(world.device.text(MemoryWorld.folder + "new.bib") != nil && !world.deviceText.isEmpty)
        world.options.deletes = true
        let outcome = try world.sync()
        #expect(outcome.row("refs.bib")?.action == .remove)
        #expect(world.device.contents.keys.sorted() == [MemoryWorld.folder + "new.bib"])
    }

    @Test("An entry that moved to another library counts as deleted only if it changed on the way")
    func moved() throws {
        let world = try synced()
        world.options.deletes = true
        world.host.write("new.bib", bib(("a", "A", []), ("b", "B", [])))
        world.host.write("refs.bib", bib(("c", "C", []), ("d", "D", []), ("e", "E", [])))
        try world.sync()
        #expect(world.deviceText == world.hostText)
        world.host.write("refs.bib", bib(("e", "E", [])))
        world.host.write("new.bib", bib(("a", "A", []), ("b", "B", []), ("c", "C2", []), ("d", "D2", [])))
        let failure = #expect(throws: BibliographySyncError.self) { try world.sync() }
        #expect(failure?.message == "The sync would delete 2 of 3 entries.")
    }

    @Test("A symbolic link or a folder instead of a bibliography is not a deletion, and its row fails")
    func notFiles() throws {
        let kinds: [(BibliographyFile.Kind, String)] = [
            (.link, "symbolic link"), (.folder, "a folder"), (.other, "special file"),
        ]
        for (kind, word) in kinds {
            let world = try synced()
            world.options.deletes = true
            world.options.isForced = true
            let before = world.deviceText
            world.host.kinds["refs.bib"] = kind
            world.host.write("new.bib", bib(("n", "N", [])))
            world.device.write(MemoryWorld.folder + "new.bib", bib(("m", "M", [])))
            world.host.kinds["new.bib"] = kind
            world.host.write("other.bib", bib(("o", "O", [])))
            let outcome = try world.sync()
            #expect(outcome.lines == ["keep new.bib", "add other.bib", "keep refs.bib"])
            for name in ["refs.bib", "new.bib"] {
                #expect(outcome.failures[name]?.message.contains(word) == true)
                #expect(outcome.failures[name]?.message.hasPrefix("It is a") == true)
            }
            #expect(world.deviceText == before)
            world.host.kinds = [:]
            world.device.kinds[MemoryWorld.folder + "refs.bib"] = kind
            let other = try world.sync()
            #expect(other.failures["refs.bib"]?.message.hasPrefix("On the device, it is a") == true)
            world.device.kinds = [:]
            #expect(try world.sync().rows == [])
        }
    }

    @Test("A file of the folder without BibTeX is not sent")
    func text() throws {
        let world = try synced()
        world.host.write("letter.bib", "Dear reader,\n")
        let failure = try world.sync().failures["letter.bib"]
        #expect(failure?.code == .malformed && world.device.contents.count == 1)
    }

    @Test("An entry deleted on one side and changed on the other stays, in the group of conflicts")
    func deletedAndChanged() throws {
        let world = try synced()
        world.options.deletes = true
        world.editDevice("\n@article{a,\n\ttitle = {A},\n\tyear = 2000}\n", "")
        world.edit("{A}", "{A2}")
        #expect(try world.sync().row("a")?.action == .conflict)
        #expect(world.hostText.contains("{A2}") && world.deviceText.contains("{A2}"))
    }

    @Test(
        "A malformed file of the host is neither sent nor touched, is named with line and column, and others go on"
    )
    func malformed() throws {
        let world = try synced()
        world.host.write("other.bib", bib(("o", "O", [])))
        world.edit("title = {B},", "title = {B}")
        let before = (world.hostText, world.deviceText)
        let outcome = try world.sync()
        let failure = outcome.failures["refs.bib"]
        #expect(failure?.code == .malformed && failure?.subject == "refs.bib")
        #expect(failure?.message.contains("line 9") == true)
        #expect((world.hostText, world.deviceText) == before)
        #expect(world.device.text(MemoryWorld.folder + "other.bib") != nil)
    }

    @Test("The device's copy gets a comma behind a lone key, archives for links, and no links without a path")
    func deviceForm() throws {
        let world = MemoryWorld()
        let alias = "YnBsaXN0MDDRAQJZYWxpYXNEYXRhQgECCAsVAAAAAAAAAQEAAAAAAAAAAwAAAAAAAAAAAAAAAAAAABg="
        let text = "@misc{k}\n@a{l,\n\tbdsk-file-1 = {x.pdf},\n\tbdsk-file-2 = {\(alias)}}\n"
        world.host.write("refs.bib", text)
        let run = try world.sync()
        #expect(run.failures == [:])
        // A link that only a Mac can follow is reported.
        #expect(
            run.rows.contains {
                $0.action == .keep && $0.item == "l" && $0.reason?.contains("no path") == true
            })
        #expect(world.hostText == text)
        let device = BibTeXDocument(Array(world.deviceText.utf8))
        #expect(device.problemsForApp() == [] && world.deviceText.contains("@misc{k,}"))
        #expect(device.blocks[1].linkedFiles.map(\.form) == [.keyedArchive])
        // In the other direction, the host's information about its links stays.
        world.editDevice("@a{l,", "@a{l, x = 1,")
        try world.sync()
        #expect(world.hostText.contains("{x.pdf}") && world.hostText.contains(alias))
        #expect(world.hostText.contains("x = 1") && world.hostText.contains("@misc{k}\n"))
        world.options.readsArchivesOnly = false
        world.edit("x = 1", "x = 2")
        try world.sync()
        #expect(world.deviceText.contains("{x.pdf}") && world.deviceText.contains(alias))
    }

    @Test("A deleted entry is kept as it was in the folder, including what the device's form lacks")
    func rawTombstones() throws {
        let world = MemoryWorld()
        let entry = "@a{l,\n\tbdsk-file-1 = {x.pdf}}"
        let others = bib(("a", "A", []), ("b", "B", []), ("c", "C", []), ("d", "D", []))
        world.host.write("refs.bib", entry + "\n\n" + others)
        world.host.write("x.pdf", "paper")
        try world.sync()
        world.options.deletes = true
        world.host.write("refs.bib", others)
        try world.sync()
        let kept = world.state.values.filter { $0.key.hasPrefix("deleted-") }
        #expect(kept.values.contains { String(decoding: $0, as: UTF8.self).contains(entry) })
        // Entries with links that moved to another library do not count as lost.
        let two = MemoryWorld()
        let moved = "@a{l, bdsk-file-1 = {x.pdf}}\n\n@a{m, bdsk-file-1 = {x.pdf}}\n"
        two.host.write("x.pdf", "paper")
        two.host.write("refs.bib", moved + bib(("a", "A", []), ("b", "B", [])))
        try two.sync()
        two.options.deletes = true
        two.host.write("refs.bib", bib(("a", "A", []), ("b", "B", [])))
        two.host.write("new.bib", moved)
        #expect(try two.sync().failures == [:])
    }

    @Test("A library that became empty fails, and so does a folder that lost all of them")
    func emptied() throws {
        let world = try synced()
        let before = world.deviceText
        world.host.write("refs.bib", "% head\n")
        #expect(try world.sync().failures["refs.bib"]?.code == .emptied)
        #expect(world.deviceText == before)
        world.host.files = [:]
        let failure = #expect(throws: BibliographySyncError.self) { try world.sync() }
        #expect(failure?.code == .emptied && world.deviceText == before)
    }

    @Test(
        "A damaged file of the device is made again from the agreed state, and its bytes are kept",
        arguments: [[], [0xFF, 0xFE, 0x00], Array("@article{a,\n\ttitle = {A".utf8), Array("% head\n".utf8)])
    func damaged(bytes: [UInt8]) throws {
        let world = try synced()
        let before = world.hostText
        world.edit("{B}", "{B2}")
        world.options.deletes = true
        world.device.write(MemoryWorld.folder + "refs.bib", bytes)
        #expect(try world.sync().row("refs.bib")?.action == .replace)
        #expect(world.hostText == before.replacing("{B}", with: "{B2}") && world.deviceText == world.hostText)
        #expect(world.state.values.contains { $0.key.hasPrefix("damaged-") && $0.value == bytes })
    }

    @Test("A library that only the device has comes to the host, unless it is malformed")
    func onlyOnDevice() throws {
        let world = try synced()
        world.device.write(MemoryWorld.folder + "new.bib", "@a{n,}\n")
        world.device.write(MemoryWorld.folder + "bad.bib", "@a{n, x = }\n")
        let outcome = try world.sync()
        #expect(world.host.text("new.bib") == "@a{n,}\n")
        #expect(outcome.failures["bad.bib"]?.code == .malformed && world.host.text("bad.bib") == nil)
    }

    @Test(
        "A library that is gone from the host stays on the device, goes if deletions are synced, and comes back if it was changed"
    )
    func goneFromHost() throws {
        let world = try synced()
        world.host.write("other.bib", bib(("o", "O", [])))
        try world.sync()
        let text = world.hostText
        world.host.files["refs.bib"] = nil
        #expect(try world.sync().row("refs.bib")?.action == .keep)
        #expect(world.deviceText == text)
        world.options.deletes = true
        world.options.isForced = true
        #expect(try world.sync().row("refs.bib")?.action == .remove)
        #expect(world.deviceText == "")
        #expect(
            world.state.values.contains {
                $0.key.hasPrefix("deleted-") && String(decoding: $0.value, as: UTF8.self).hasSuffix(text)
            })
        let second = try synced()
        second.host.write("other.bib", bib(("o", "O", [])))
        second.options.deletes = true
        try second.sync()
        second.host.files["refs.bib"] = nil
        second.editDevice("{A}", "{A2}")
        try second.sync()
        #expect(second.hostText == second.deviceText && second.hostText.contains("{A2}"))
    }

    @Test("A library that is gone from the device is sent again")
    func goneFromDevice() throws {
        let world = try synced()
        world.options.deletes = true
        world.device.files = [:]
        try world.sync()
        #expect(world.deviceText == world.hostText && !world.hostText.isEmpty)
    }

    @Test("The run ends if one side cannot be listed, and nothing counts as deleted")
    func unlistable() throws {
        let world = try synced()
        world.options.deletes = true
        let before = world.everything
        for (folder, name) in [(world.host, ""), (world.device, "Dropbox/BibFiles")] {
            folder.unreadable = [name]
            #expect(throws: BibliographySyncError.self) { try world.sync() }
            folder.unreadable = []
        }
        #expect(world.everything == before)
        world.device.unreadable = ["Dropbox/BibFiles"]
        #expect(throws: BibliographySyncError.self) { try world.dryRun() }
    }

    @Test(
        "A file that changes while the run writes it is read and merged once more", arguments: [true, false])
    func changedMeanwhile(onHost: Bool) throws {
        let world = try synced()
        world.edit("{A}", "{A2}")
        world.editDevice("{B}", "{B2}")
        let folder = onHost ? world.host : world.device
        folder.beforeReplacing = {
            if onHost { world.edit("{C}", "{C2}") } else { world.editDevice("{C}", "{C2}") }
        }
        #expect(try world.sync().failures == [:])
        for text in [world.hostText, world.deviceText] {
            #expect(text.contains("{A2}") && text.contains("{B2}") && text.contains("{C2}"))
            #expect(!text.contains("conflict"))
        }
        #expect(try world.sync().rows == [])
    }

    @Test("A device that was restored is merged with the state that it knows")
    func restored() throws {
        let world = try synced()
        let (files, marks) = (world.device.files, world.marks.values)
        world.edit("{A}", "{A2}")
        try world.sync()
        world.edit("{A2}", "{A3}")
        world.device.files = files
        world.marks.values = marks
        world.editDevice("{B}", "{B2}")
        try world.sync()
        #expect(world.hostText.contains("{A3}") && world.hostText.contains("{B2}"))
        #expect(!world.hostText.contains("conflict") && world.deviceText == world.hostText)
    }

    @Test("Without a common state nothing is deleted, and both sides keep their entries")
    func noCommonState() throws {
        let world = try synced()
        world.options.deletes = true
        world.marks.values = [:]
        world.device.write(MemoryWorld.folder + "refs.bib", bib(("a", "A", []), ("z", "Z", [])))
        try world.sync()
        #expect(world.hostText.contains("@article{e,") && world.hostText.contains("@article{z,"))
        #expect(world.deviceText == world.hostText)
        #expect(world.state.values.keys.contains { $0.hasPrefix("deleted-") } == false)
    }

    @Test("Entries that the device added come to the host only if the app would load them")
    func refusedTogether() throws {
        let world = try synced()
        world.edit("{A}", "{A2}")
        world.device.write(MemoryWorld.folder + "refs.bib", world.deviceText + "@a{k(1), x = 1}\n")
        let before = world.everything
        let failure = try world.sync().failures["refs.bib"]
        #expect(failure?.code == .malformed && failure?.message.contains("load the device's") == true)
        #expect(world.everything == before)
    }

    @Test("A mark of the device that cannot be read counts as none")
    func damagedMark() throws {
        let world = try synced()
        world.marks.values = world.marks.values.mapValues { _ in [0xFF] }
        world.edit("{A}", "{A2}")
        #expect(try world.sync().failures == [:])
        #expect(world.deviceText == world.hostText && !world.hostText.contains("conflict"))
        #expect(try world.sync().rows == [])
        world.state.values["libraries"] = [0xFF]
        let failure = #expect(throws: BibliographySyncError.self) { try world.sync() }
        #expect(failure?.code == .damagedState)
    }

    @Test("A row shows the beginning of a long value")
    func longValues() throws {
        let world = try synced()
        world.edit("{A}", "{\(String(repeating: "x", count: 5000))}")
        let details = try world.dryRun().row("a")?.details ?? ""
        #expect(details.hasPrefix("- title = {A}\n+ title = {xxx") && details.utf8.count < 1100)
    }
}
