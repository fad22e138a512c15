import Diagnostics
import BibTeX
import BibliographySync
import Testing

@Suite("A paper that one side changed while the other side renamed it stays linked")
struct MovedLinkTests {
    private let papers = MemoryWorld.papers
    private let old = "P/a.pdf"
    private let new = "P/n.pdf"
    private let notes = "paper a with notes"

    /// The links of the first entry on both sides.
    private func links(_ world: MemoryWorld) -> [[String?]] {
        [world.hostText, world.deviceText].map {
            BibTeXDocument(Array($0.utf8)).blocks[0].linkedFiles.map(\.relativePath)
        }
    }

    /// Moves the first entry's link in the folder, as a user does who renames the paper.
    private func renameInFolder(_ world: MemoryWorld) {
        world.edit(FileLink(path: old).value, FileLink(path: new).value)
        world.host.write(new, world.host.text(old) ?? "")
        world.host.files[old] = nil
    }

    private func renameOnDevice(_ world: MemoryWorld) {
        world.editDevice(FileLink(path: old).value, FileLink(path: new).value)
        world.device.write(papers + new, world.device.text(papers + old) ?? "")
        world.device.files[papers + old] = nil
    }

    @Test("Both papers stay on both sides, linked", arguments: [true, false])
    func renamed(isInFolder: Bool) throws {
        let world = try MemoryWorld.synced()
        world.options.deletes = true
        world.options.isForced = true
        if isInFolder {
            renameInFolder(world)
            world.device.write(papers + old, notes)
        } else {
            renameOnDevice(world)
            world.host.write(old, notes)
        }
        let outcome = try world.sync()
        #expect(outcome.failures == [:] && outcome.row(new)?.action == .add)
        let row = outcome.row(old)
        #expect(row?.action == .conflict && row?.changesHost == isInFolder)
        #expect(row?.changesDevice == !isInFolder)
        #expect(
            row?.reason
                == (isInFolder
                    ? "The folder's entry links to P/n.pdf now, but this paper was changed on the device: "
                        + "both are linked."
                    : "The device's entry links to P/n.pdf now, but this paper was changed in the folder: "
                        + "both are linked."))
        // A second run with `--delete` removes neither.
        for _ in 1...2 {
            #expect(links(world) == [[new, old], [new, old]])
            for (folder, prefix) in [(world.host, ""), (world.device, papers)] {
                #expect(folder.text(prefix + old) == notes && folder.text(prefix + new) == "paper a")
            }
            #expect(try world.sync().rows == [])
        }
    }

    @Test("If both sides changed the renamed paper, three versions are linked")
    func bothChanged() throws {
        let world = try MemoryWorld.synced()
        renameInFolder(world)
        world.host.write(old, "host's a")
        world.device.write(papers + old, "device's a")
        let outcome = try world.sync()
        let other = "P/a (device 2026-07-18).pdf"
        #expect(outcome.row(old)?.action == .conflict && outcome.failures == [:])
        #expect(links(world) == [[new, old, other], [new, old, other]])
        #expect(world.host.text(other) == "device's a" && world.device.text(papers + old) == "host's a")
        #expect(try world.sync().rows == [])
    }

    @Test("A side may change the paper from which it moves the link")
    func ownChange() throws {
        let world = try MemoryWorld.synced()
        renameInFolder(world)
        world.host.write(old, "a draft")
        let outcome = try world.sync()
        #expect(outcome.row(old) == nil && links(world) == [[new], [new]])
        #expect(world.host.text(old) == "a draft" && world.device.text(papers + old) == "paper a")
    }

    @Test("A rename without a change on the other side adds no link")
    func unchanged() throws {
        let world = try MemoryWorld.synced()
        renameInFolder(world)
        // The same bytes with another date do not count as a change.
        world.device.write(papers + old, "paper a")
        #expect(try world.sync().row(old) == nil)
        #expect(links(world) == [[new], [new]])
    }

    @Test("If another file of the folder cannot be read, the changed paper is linked all the same")
    func otherLibraryFails() throws {
        let world = try MemoryWorld.synced()
        world.host.write("other.bib", bib(("o", "O", [])))
        try world.sync()
        world.host.write("other.bib", "@a{k, x = }\n")
        renameInFolder(world)
        world.device.write(papers + old, notes)
        #expect(try world.sync().row(old)?.action == .conflict)
        #expect(links(world) == [[new, old], [new, old]] && world.host.text(old) == notes)
    }

    @Test("If the link cannot be written, the paper stays as it is, and the next run links it")
    func libraryFails() throws {
        let world = try MemoryWorld.synced()
        renameInFolder(world)
        world.device.write(papers + old, notes)
        let text = world.hostText
        world.afterPlan = { world.host.write("refs.bib", "@a{k, x = }\n") }
        let outcome = try world.sync()
        #expect(outcome.failures["refs.bib"] != nil && outcome.failures[old]?.isRetryable == true)
        #expect(world.host.text(old) == nil && world.device.text(papers + old) == notes)
        world.host.write("refs.bib", text)
        let next = try world.sync()
        #expect(next.row(old)?.action == .conflict && next.failures == [:])
        #expect(links(world) == [[new, old], [new, old]] && world.host.text(old) == notes)
    }

    @Test("A link does not move away from a paper of which it is not known whether it changed")
    func unexamined() throws {
        let world = try MemoryWorld.synced()
        renameInFolder(world)
        world.device.write(papers + old, notes)
        let device = world.deviceText
        world.device.unreadable = [papers + "P"]
        let outcome = try world.sync()
        #expect(outcome.failures["refs.bib"]?.subject == old && world.deviceText == device)
        world.device.unreadable = []
        let next = try world.sync()
        #expect(next.row(old)?.action == .conflict && next.failures == [:])
        #expect(links(world) == [[new, old], [new, old]] && world.host.text(old) == notes)
    }

    @Test("A link in the field of another program is kept as well")
    func foreign() throws {
        let world = MemoryWorld()
        world.options.readsArchivesOnly = false
        world.host.write("refs.bib", "@a{a,\n\tfile = {:P/a.pdf:PDF},\n\tt = {A}}\n")
        world.host.write(old, "paper a")
        try world.sync()
        world.edit(":P/a.pdf:", ":P/n.pdf:")
        world.host.write(new, "paper a")
        world.device.write(papers + old, notes)
        #expect(try world.sync().row(old)?.action == .conflict)
        for text in [world.hostText, world.deviceText] {
            #expect(text.contains("file = {:P/n.pdf:PDF;:P/a.pdf:PDF}"), "\(text)")
        }
        #expect(world.host.text(old) == notes)
        #expect(try world.sync().rows == [])
    }
}
