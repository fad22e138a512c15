import Diagnostics
import BibTeX
import BibliographySync
import Testing

extension MemoryWorld {
    /// A host with two linked papers, one entry each.
    static func withPapers() -> MemoryWorld {
        let world = MemoryWorld()
        world.host.write(
            "refs.bib",
            bib(
                ("a", "A", ["P/a.pdf"]), ("b", "B", ["P/b.pdf"]), ("c", "C", []), ("d", "D", []),
                ("e", "E", [])))
        world.host.write("P/a.pdf", "paper a")
        world.host.write("P/b.pdf", "paper b")
        return world
    }

    /// The same after a run.
    static func synced() throws -> MemoryWorld {
        let world = withPapers()
        try world.sync()
        return world
    }
}

@Suite("Papers are synced both ways")
struct PaperSyncTests {
    private let papers = MemoryWorld.papers

    @Test("Linked papers go to the device behind the bibliographies, and a second run changes nothing")
    func firstAndSecond() throws {
        let world = MemoryWorld.withPapers()
        let outcome = try world.sync()
        #expect(outcome.lines == ["add refs.bib", "add P/a.pdf", "add P/b.pdf"])
        #expect(outcome.failures == [:] && outcome.row("P/a.pdf")?.bytes == 7)
        #expect(world.device.text(papers + "P/a.pdf") == "paper a")
        world.interruption.restart()
        #expect(try world.sync().rows == [])
        #expect(world.interruption.changes == 0)
    }

    @Test("A linked paper in a folder that is a symbolic link stays, and its row says why")
    func linkedFolder() throws {
        let world = MemoryWorld()
        world.host.write("refs.bib", bib(("a", "A", ["d/q.pdf"]), ("b", "B", ["d/e/r.pdf"])))
        world.host.write("d", "")
        world.host.kinds["d"] = .link
        world.host.unreadable = ["d", "d/e"]
        let outcome = try world.sync()
        #expect(outcome.row("d/q.pdf")?.action == .keep && outcome.row("d/e/r.pdf")?.action == .keep)
        #expect(outcome.row("d/q.pdf")?.reason?.contains("symbolic link") == true)
        #expect(outcome.failures == [:])
    }

    @Test("Several papers are copied at once, and one that fails does not stop the others")
    func together() throws {
        let world = MemoryWorld()
        world.host.write("refs.bib", (10..<80).map { bib(("k\($0)", "T", ["\($0).pdf"])) }.joined())
        for number in 10..<80 { world.host.write("\(number).pdf", "paper \(number)") }
        world.beforeCopying = { world.device.write(self.papers + "12.pdf", "another program's") }
        let outcome = try world.sync()
        #expect(world.together.counts == [32, 32, 6])
        #expect(outcome.failures.mapValues(\.code) == ["12.pdf": .changed])
        #expect(world.device.text(papers + "29.pdf") == "paper 29")
        #expect(world.device.text(papers + "12.pdf") == "another program's")
        for number in 20..<26 { world.device.write(papers + "\(number).pdf", "notes \(number)") }
        world.together.counts = []
        try world.sync()
        #expect(world.host.text("25.pdf") == "notes 25")
        #expect(world.together.counts.max() == 6)
        #expect(try world.sync().rows == [])
    }

    @Test("Papers that are larger together than 64 MB travel one after the other, in their order")
    func largeTogether() throws {
        let world = MemoryWorld()
        world.host.write("refs.bib", ["a", "b", "c"].map { bib(($0, "T", ["\($0).pdf"])) }.joined())
        let bytes = [UInt8](repeating: 0x20, count: 24 << 20)
        for name in ["a", "b", "c"] { world.host.write(name + ".pdf", bytes) }
        #expect(try world.sync().files == ["add refs.bib", "add a.pdf", "add b.pdf", "add c.pdf"])
        #expect(world.together.counts == [2, 1])
    }

    @Test("A cancel between papers keeps what was copied, and the next run copies the rest")
    func cancelledTogether() throws {
        let world = MemoryWorld()
        world.host.write("refs.bib", (10..<80).map { bib(("k\($0)", "T", ["\($0).pdf"])) }.joined())
        for number in 10..<80 { world.host.write("\(number).pdf", "paper \(number)") }
        world.hooks.isCancelled = { world.device.files.keys.filter { $0.hasSuffix(".pdf") }.count >= 11 }
        #expect(throws: BibliographySyncError.self) { try world.sync() }
        #expect(world.device.files.keys.filter { $0.hasSuffix(".pdf") }.count == 11)
        world.hooks.isCancelled = { false }
        let outcome = try world.sync()
        #expect(outcome.lines.count == 59 && outcome.failures == [:])
    }

    @Test(
        "An absolute link below a folder of another computer is synced, and both versions of its paper are linked"
    )
    func absoluteLinks() throws {
        let world = MemoryWorld()
        world.mapping.root = "/Users/ada/Papers"
        world.host.write(
            "refs.bib", bib(("a", "A", ["/Users/ada/Papers/P/a.pdf"]), ("b", "B", ["/Users/eve/b.pdf"])))
        world.host.write("P/a.pdf", "paper a")
        let outcome = try world.sync()
        #expect(world.device.text(papers + "P/a.pdf") == "paper a")
        #expect(outcome.row("/Users/eve/b.pdf")?.action == .keep)
        world.host.write("P/a.pdf", "host's a")
        world.device.write(papers + "P/a.pdf", "device's a")
        try world.sync()
        let links = BibTeXDocument(Array(world.hostText.utf8)).blocks[0].linkedFiles.map(\.relativePath)
        #expect(links == ["/Users/ada/Papers/P/a.pdf", "P/a (device 2026-07-18).pdf"])
        let rows = try world.sync().rows
        #expect(rows.map(\.item) == ["/Users/eve/b.pdf"])
    }

    @Test("Papers that are not to be sent stay, with the reason, and everything else goes on")
    func heldBack() throws {
        let world = try MemoryWorld.synced()
        world.options.papersStay = "No cable."
        world.host.write("P/a.pdf", "a new version")
        world.device.write(papers + "P/b.pdf", "notes in b")
        world.edit("{C}", "{C2}")
        let outcome = try world.sync()
        #expect(outcome.row("P/a.pdf")?.action == .keep && outcome.row("P/a.pdf")?.reason == "No cable.")
        #expect(world.device.text(papers + "P/a.pdf") == "paper a")
        #expect(world.host.text("P/b.pdf") == "notes in b" && world.deviceText.contains("{C2}"))
        world.host.write("P/b.pdf", "host's b")
        world.device.write(papers + "P/b.pdf", "device's b")
        let before = world.hostText
        #expect(try world.sync().row("P/b.pdf")?.action == .keep)
        #expect(world.hostText == before)
        world.options.papersStay = nil
        #expect(try world.sync().row("P/b.pdf")?.action == .conflict)
        #expect(world.device.text(papers + "P/a.pdf") == "a new version")
    }

    @Test("An unchanged run of many papers lists each folder once and looks at no paper")
    func operations() throws {
        let world = MemoryWorld()
        world.host.write(
            "refs.bib", (0..<500).map { bib(("k\($0)", "T", ["P\($0 % 5)/\($0).pdf"])) }.joined())
        for number in 0..<500 { world.host.write("P\(number % 5)/\(number).pdf", "\(number)") }
        try world.sync()
        world.interruption.restart()
        let (hosts, devices) = (world.host.listed, world.device.listed)
        #expect(try world.sync().rows == [])
        #expect(world.interruption.changes == 0)
        #expect(world.host.listed - hosts == 6 && world.device.listed - devices == 6)
        // 12 listings, the library, and at most 256 parts of the agreed state of papers.
        #expect(world.interruption.looks < 300)
    }

    @Test("A link to a folder or to a symbolic link has a row, and is not a failure")
    func unfit() throws {
        for kind in [BibliographyFile.Kind.folder, .link, .other] {
            let world = try MemoryWorld.synced()
            world.host.kinds["P/a.pdf"] = kind
            let outcome = try world.sync()
            #expect(outcome.lines == ["keep P/a.pdf"] && outcome.failures == [:])
            #expect(outcome.row("P/a.pdf")?.reason?.contains("symbolic link") == true)
            #expect(world.device.text(papers + "P/a.pdf") == "paper a")
        }
    }

    @Test("A paper for which the app has no place of its own has a row that says so")
    func unplaced() throws {
        let world = MemoryWorld.withPapers()
        world.mapping.unplaced = ["P/b.pdf"]
        let outcome = try world.sync()
        #expect(outcome.lines == ["add refs.bib", "add P/a.pdf", "keep P/b.pdf"])
        #expect(outcome.row("P/b.pdf")?.reason?.contains("with this name") == true)
    }

    @Test("The limit for papers counts for a paper that replaces a smaller one, and for both versions of one")
    func limit() throws {
        let world = try MemoryWorld.synced()
        world.options.largestPaper = 10
        world.host.write("P/a.pdf", "paper a of the host, which is large")
        world.host.write("P/b.pdf", "paper b of the host, which is large")
        world.device.write(papers + "P/b.pdf", "b")
        let outcome = try world.sync()
        #expect(outcome.lines == ["keep P/a.pdf", "keep P/b.pdf"])
        #expect(outcome.row("P/a.pdf")?.reason?.contains("limit") == true)
        #expect(
            world.device.text(papers + "P/a.pdf") == "paper a" && world.device.text(papers + "P/b.pdf") == "b"
        )
    }

    @Test("A paper that one side changed goes to the other")
    func oneSideChanged() throws {
        let world = try MemoryWorld.synced()
        world.host.write("P/a.pdf", "paper a of the host")
        #expect(try world.sync().lines == ["replace P/a.pdf"])
        #expect(world.device.text(papers + "P/a.pdf") == "paper a of the host")
        world.device.write(papers + "P/b.pdf", "paper b with notes")
        let outcome = try world.sync()
        #expect(outcome.lines == ["replace P/b.pdf"] && outcome.row("P/b.pdf")?.changesHost == true)
        #expect(world.host.text("P/b.pdf") == "paper b with notes")
        #expect(try world.sync().rows == [])
    }

    @Test("A paper with another stamp and the same bytes is not copied")
    func touched() throws {
        let world = try MemoryWorld.synced()
        world.host.write("P/a.pdf", "paper a")
        world.device.write(papers + "P/b.pdf", "paper b")
        let before = world.everything
        #expect(try world.sync().rows == [])
        #expect(world.everything == before)
        world.interruption.restart()
        try world.sync()
        #expect(world.interruption.changes == 0)
    }

    @Test(
        "A linked paper that is gone on the device is sent again, and one that is gone on the host stays on the device"
    )
    func goneButLinked() throws {
        let world = try MemoryWorld.synced()
        world.options.deletes = true
        world.device.files[papers + "P/a.pdf"] = nil
        #expect(try world.sync().lines == ["add P/a.pdf"])
        #expect(world.device.text(papers + "P/a.pdf") == "paper a")
        world.host.files["P/b.pdf"] = nil
        #expect(try world.sync().lines == ["keep P/b.pdf"])
        #expect(world.device.text(papers + "P/b.pdf") == "paper b" && world.host.text("P/b.pdf") == nil)
        // A paper that was changed on the device since then is not lost.
        world.device.write(papers + "P/b.pdf", "paper b with notes")
        try world.sync()
        #expect(world.host.text("P/b.pdf") == "paper b with notes")
    }

    @Test(
        "A paper that no entry links to any more goes from the device if deletions are synced, and stays on the host"
    )
    func unlinked() throws {
        let world = try MemoryWorld.synced()
        let entry = BibTeXDocument(Array(world.hostText.utf8)).blocks[0]
        world.edit(String(decoding: entry.body, as: UTF8.self), "")
        try world.sync()
        #expect(world.device.text(papers + "P/a.pdf") == "paper a")
        world.options.deletes = true
        let outcome = try world.sync()
        #expect(outcome.files == ["update refs.bib", "remove P/a.pdf"])
        #expect(outcome.rows.last?.reason == "No entry links to it.")
        #expect(world.device.text(papers + "P/a.pdf") == nil && world.host.text("P/a.pdf") == "paper a")
        #expect(try world.sync().rows == [])
    }

    @Test("A paper that only the device has is put into the host's trash before it is removed there")
    func onlyCopy() throws {
        let world = try MemoryWorld.synced()
        world.host.files["P/a.pdf"] = nil
        world.host.write(
            "refs.bib",
            bib(("a", "A", []), ("b", "B", ["P/b.pdf"]), ("c", "C", []), ("d", "D", []), ("e", "E", [])))
        world.options.deletes = true
        world.options.share = 0.6
        let outcome = try world.sync()
        #expect(outcome.failures == [:], "\(outcome.failures)")
        #expect(world.host.trash["P/a.pdf"] == Array("paper a".utf8))
        #expect(world.host.text("P/a.pdf") == nil && world.device.text(papers + "P/a.pdf") == nil)
    }

    @Test(
        "A paper deleted on the device goes to the host's trash only when no entry links to it and it did not change"
    )
    func deletedOnDevice() throws {
        for isChanged in [false, true] {
            let world = try MemoryWorld.synced()
            world.options.deletes = true
            world.options.share = 0.6
            let entry = BibTeXDocument(Array(world.deviceText.utf8)).blocks[0]
            world.editDevice(String(decoding: entry.body, as: UTF8.self), "")
            world.device.files[papers + "P/a.pdf"] = nil
            if isChanged { world.host.write("P/a.pdf", "paper a changed") }
            try world.sync()
            #expect(world.host.trash["P/a.pdf"] == (isChanged ? nil : Array("paper a".utf8)))
            #expect(world.host.text("P/a.pdf") == (isChanged ? "paper a changed" : nil))
            #expect(try world.sync().rows == [])
        }
    }

    @Test("A paper that another library links to stays")
    func linkedElsewhere() throws {
        let world = try MemoryWorld.synced()
        world.host.write("other.bib", bib(("o", "O", ["P/a.pdf"])))
        try world.sync()
        world.options.deletes = true
        let entry = BibTeXDocument(Array(world.hostText.utf8)).blocks[0]
        world.edit(String(decoding: entry.body, as: UTF8.self), "")
        try world.sync()
        #expect(world.device.text(papers + "P/a.pdf") == "paper a")
    }

    @Test("A library that cannot be read, or a folder that cannot be listed, costs no paper")
    func nothingInferred() throws {
        let world = try MemoryWorld.synced()
        world.options.deletes = true
        world.options.isForced = true
        world.host.write("refs.bib", "@a{k, x = }\n")
        try world.sync()
        #expect(world.device.text(papers + "P/a.pdf") == "paper a")
        let second = try MemoryWorld.synced()
        second.options.deletes = true
        second.host.unreadable = ["P"]
        #expect(try second.sync().failures["P/a.pdf"]?.code == .failed)
        second.host.unreadable = []
        second.device.unreadable = [papers + "P"]
        #expect(try second.sync().failures["P/a.pdf"]?.code == .failed)
        #expect(
            second.device.text(papers + "P/a.pdf") == "paper a" && second.host.text("P/a.pdf") == "paper a")
    }

    @Test(
        "A paper that only the device has comes to the host, and one that is nowhere is reported without a failure"
    )
    func onlyOnDevice() throws {
        let world = MemoryWorld.withPapers()
        world.host.files["P/a.pdf"] = nil
        world.host.files["P/b.pdf"] = nil
        world.device.write(papers + "P/a.pdf", "device's a")
        let outcome = try world.sync()
        #expect(world.host.text("P/a.pdf") == "device's a")
        #expect(outcome.row("P/b.pdf")?.action == .keep && outcome.failures == [:])
    }

    @Test("A rule chooses papers; what it does not choose any more goes only if the host has the same bytes")
    func rules() throws {
        let world = MemoryWorld.withPapers()
        world.mapping.keys = ["a"]
        try world.sync()
        #expect(world.device.text(papers + "P/a.pdf") != nil && world.device.text(papers + "P/b.pdf") == nil)
        world.mapping.keys = ["b"]
        world.options.deletes = true
        #expect(try world.sync().row("P/a.pdf")?.reason == "No rule selects it. The folder keeps it.")
        #expect(world.device.text(papers + "P/a.pdf") == nil && world.device.text(papers + "P/b.pdf") != nil)
        #expect(world.host.text("P/a.pdf") == "paper a")
        world.mapping.keys = []
        world.host.write("P/b.pdf", "paper b changed")
        try world.sync()
        #expect(world.device.text(papers + "P/b.pdf") != nil)
    }

    @Test("A paper asked for goes first, into the folder of caches; what iOS removes there was not deleted")
    func askedFor() throws {
        let world = MemoryWorld.withPapers()
        world.mapping.askedFor = ["b"]
        #expect(try world.sync().files == ["add refs.bib", "add P/b.pdf", "add P/a.pdf"])
        #expect(world.device.text("Caches/P/b.pdf") == "paper b")
        world.mapping.askedFor = []
        world.mapping.keys = ["a"]
        world.device.files["Caches/P/b.pdf"] = nil
        world.options.deletes = true
        world.options.isForced = true
        #expect(try world.sync().rows == [])
        let entry = BibTeXDocument(Array(world.hostText.utf8)).blocks[1]
        world.edit(String(decoding: entry.body, as: UTF8.self), "")
        try world.sync()
        #expect(world.host.text("P/b.pdf") == "paper b" && world.host.trash == [:])
    }

    @Test("Without room the least wanted papers are left out, and this is reported before anything is copied")
    func room() throws {
        let world = MemoryWorld.withPapers()
        world.host.write("P/b.pdf", String(repeating: "b", count: 100))
        world.options.reserve = 50
        world.hooks.freeBytes = { () throws(BibliographySyncError) in 100 }
        let outcome = try world.sync()
        #expect(outcome.row("P/a.pdf")?.action == .add && outcome.row("P/b.pdf")?.action == .keep)
        #expect(world.device.text(papers + "P/a.pdf") != nil && world.device.text(papers + "P/b.pdf") == nil)
        world.hooks.freeBytes = { () throws(BibliographySyncError) in 1000 }
        world.options.largestPaper = 50
        #expect(try world.sync().row("P/b.pdf")?.action == .keep)
        world.options.largestPaper = 100
        #expect(try world.sync().row("P/b.pdf")?.action == .add)
    }

    @Test("A link that leads out of the folder is reported and never followed")
    func outside() throws {
        let world = MemoryWorld()
        world.host.write("refs.bib", bib(("a", "A", ["../../etc/passwd", "/etc/passwd", "x/../ok.pdf"])))
        world.host.write("ok.pdf", "ok")
        let outcome = try world.sync()
        #expect(outcome.lines == ["add refs.bib", "add ok.pdf", "keep ../../etc/passwd", "keep /etc/passwd"])
        #expect(world.device.text(papers + "ok.pdf") == "ok")
    }

    @Test("A library of the device reaches no hidden file, no bibliography and nothing beside the folder")
    func hostileLibrary() throws {
        let world = try MemoryWorld.synced()
        world.device.write(
            MemoryWorld.folder + "new.bib", bib(("n", "N", [".ssh/keys", "refs.bib", "P/.x"])))
        world.device.write(papers + ".ssh/keys", "evil")
        world.device.write(papers + "refs.bib", "@a{evil,}")
        world.device.write(papers + "P/.x", "evil")
        world.device.write(MemoryWorld.folder + ".hidden.bib", "@a{evil,}")
        let before = world.hostText
        let outcome = try world.sync()
        #expect(outcome.rows.filter { $0.action == .keep }.map(\.item) == [".ssh/keys", "refs.bib", "P/.x"])
        #expect(world.hostText == before)
        #expect(world.host.contents.keys.sorted() == ["P/a.pdf", "P/b.pdf", "new.bib", "refs.bib"])
    }

    @Test("Names in the decomposed letters of a Mac are the same names")
    func decomposedNames() throws {
        let world = MemoryWorld()
        world.host.write("refs.bib", bib(("a", "A", ["Go\u{308}tberg.pdf"])))
        world.host.write("Go\u{308}tberg.pdf", "x")
        try world.sync()
        #expect(world.device.text(papers + "Götberg.pdf") == "x")
        #expect(try world.sync().rows == [])
    }

    @Test("A side that is gone ends the run at once")
    func disconnected() throws {
        let world = MemoryWorld.withPapers()
        final class Seen { var names: [String] = [] }
        let seen = Seen()
        let interruption = world.interruption
        interruption.failure = BibliographySyncError(.disconnected, "The device is gone.")
        world.hooks.progress = {
            seen.names.append($0.name)
            if $0.name == "P/a.pdf" { interruption.failsAt = interruption.operations + 1 }
        }
        let failure = #expect(throws: BibliographySyncError.self) { try world.sync() }
        #expect(failure?.code == .disconnected && Set(seen.names) == ["refs.bib", "P/a.pdf"])
        world.hooks.progress = { _ in }
        world.interruption.restart()
        #expect(try world.sync().failures == [:])
    }

    @Test("The remaining bytes and files only decrease, and a cancelled run can be continued")
    func progress() throws {
        let world = MemoryWorld()
        let names = (10..<46).map { "\($0).pdf" }
        world.host.write("refs.bib", names.map { bib(("k\($0)", "T", [$0])) }.joined())
        for name in names { world.host.write(name, "a paper") }
        final class Seen { var progress: [BibliographyProgress] = [] }
        let seen = Seen()
        world.hooks.progress = { seen.progress.append($0) }
        world.hooks.isCancelled = { seen.progress.contains { $0.name == "42.pdf" } }
        let failure = #expect(throws: BibliographySyncError.self) { try world.sync() }
        #expect(failure?.code == .cancelled)
        #expect(names.filter { world.device.text(papers + $0) != nil } == Array(names[..<32]))
        #expect(seen.progress.map(\.phase).first == .libraries && seen.progress.last?.filesLeft == 4)
        let left = seen.progress.map(\.bytesLeft)
        #expect(left == left.sorted(by: >) && left.last == 28)
        // Each paper is named after its bytes were copied.
        let copied = seen.progress.filter { $0.phase == .papers }.map(\.name)
        #expect(Array(copied.dropFirst()) == Array(names.prefix(33)))
        world.hooks.isCancelled = { false }
        #expect(try world.sync().lines == names[32...].map { "add \($0)" })
    }

    @Test("If both sides changed a paper that JabRef linked, its field names the other version as well")
    func bothChangedForeign() throws {
        let world = MemoryWorld()
        world.options.readsArchivesOnly = false
        world.host.write("refs.bib", "@a{a,\n\tfile = {A paper:P/a.pdf:PDF},\n\tt = {A}}\n")
        world.host.write("P/a.pdf", "paper")
        try world.sync()
        world.host.write("P/a.pdf", "host's paper")
        world.device.write(MemoryWorld.papers + "P/a.pdf", Array("device's paper".utf8))
        try world.sync()
        for text in [world.hostText, world.deviceText] {
            #expect(text.contains("file = {A paper:P/a.pdf:PDF;:P/a (device 2026-07-18).pdf:PDF}"), "\(text)")
        }
        #expect(world.host.text("P/a (device 2026-07-18).pdf") == "device's paper")
        #expect(try world.sync().rows == [])
    }
}
