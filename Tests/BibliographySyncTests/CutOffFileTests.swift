import Diagnostics
import BibTeX
import BibliographySync
import Testing

@Suite("A file of the device that was cut off is not a deletion")
struct CutOffFileTests {
    private static let text =
        "@string{m = {Macro}}\n@preamble{\"p\"}\n\n@article{a,\n\ttitle = {A}}\n\n@article{b,\n\ttitle = {B}}\n\n"
        + "@article{c,\n\ttitle = {C}}\n\n@article{d,\n\ttitle = {D}}\n\n@article{e,\n\ttitle = {E}}\n\n"
        + groups([("One", "a"), ("Two", "b")])

    private static func groups(_ groups: [(String, String)]) -> String {
        var document = BibTeXDocument()
        document.setGroups(.fixed, groups.map { BibTeXGroup(name: $0.0, keys: [$0.1]) })
        return String(decoding: document.bytes, as: UTF8.self) + "\n"
    }

    private func world(cutTo count: Int) throws -> MemoryWorld {
        let world = MemoryWorld()
        world.host.write("refs.bib", Self.text)
        try world.sync()
        world.device.write(MemoryWorld.folder + "refs.bib", String(Self.text.prefix(count)))
        return world
    }

    @Test("Wherever the file is cut off, the host loses nothing without --delete, and nothing fails")
    func everywhere() throws {
        for count in 0..<Self.text.count {
            let world = try world(cutTo: count)
            let outcome = try world.sync()
            #expect(world.hostText == Self.text && outcome.failures == [:], "cut to \(count)")
        }
    }

    @Test(
        "A cut inside a block is repaired from the agreed state, with --delete as well",
        arguments: [
            "@", "@art", "@article", "@article{", "@article{e", "@article{e,\n\ttitle", "@comment",
            "@comment{",
            "@comment{BibDesk Static Groups{",
        ])
    func insideBlock(_ ending: String) throws {
        let start = try #require(
            Self.text.firstRange(of: ending.hasPrefix("@c") ? "@comment" : "@article{e")?.lowerBound)
        let count = Self.text.distance(from: Self.text.startIndex, to: start) + ending.count
        let world = try world(cutTo: count)
        world.options.deletes = true
        let outcome = try world.sync()
        #expect(outcome.lines == ["replace refs.bib"] && outcome.failures == [:])
        #expect(world.hostText == Self.text && world.deviceText == Self.text)
    }

    @Test(
        "A cut between blocks is repaired, too, with --delete as without it, and what was there is kept",
        arguments: [true, false])
    func betweenBlocks(deletes: Bool) throws {
        for ending in ["@article{e", "@article{d", "@comment{BibDesk"] {
            let start = try #require(Self.text.firstRange(of: ending)?.lowerBound)
            let world = try world(cutTo: Self.text.distance(from: Self.text.startIndex, to: start))
            let damaged = world.deviceText
            world.options.deletes = deletes
            world.options.isForced = true
            let outcome = try world.sync()
            #expect(outcome.lines == ["replace refs.bib"] && outcome.failures == [:], "before \(ending)")
            #expect(world.hostText == Self.text && world.deviceText == Self.text, "before \(ending)")
            let kept = world.state.values.filter { $0.key.hasPrefix("damaged-") }.values
            #expect(kept.map { String(decoding: $0, as: UTF8.self) } == [damaged])
            #expect(try world.sync().rows == [])
        }
    }

    @Test("A missing end is also noticed if the device stores the file in its own form")
    func ownForm() throws {
        // The links are rewritten for the app, so the device's file differs from the agreed text.
        let world = MemoryWorld()
        world.options.readsArchivesOnly = true
        let text =
            "@misc{n}\n@article{a, bdsk-file-1 = {P/a.pdf}}\n"
            + bib(("b", "B", []), ("c", "C", []), ("d", "D", [])) + Self.groups([("One", "a")])
        world.host.write("refs.bib", text)
        try world.sync()
        let device = world.deviceText
        #expect(device != text)
        // A deletion in the middle is held back, and then the end is lost.
        world.editDevice("\n@article{c,\n\ttitle = {C},\n\tyear = 2000}\n", "")
        try world.sync()
        let without = world.deviceText
        #expect(without != device)
        let start = try #require(without.firstRange(of: "@article{d")?.lowerBound)
        world.device.write(MemoryWorld.folder + "refs.bib", String(without[..<start]))
        try world.sync()
        #expect(world.hostText == text && world.deviceText == without)
        // Only the entries that were deleted before are removed.
        world.device.write(MemoryWorld.folder + "refs.bib", String(without[..<start]))
        world.options.deletes = true
        try world.sync()
        #expect(!world.hostText.contains("{c,") && world.hostText.contains("{d,"))
        #expect(try world.sync().lines == ["keep P/a.pdf"])
    }

    @Test("Entries of which only those at the end are gone count as deleted, and --delete syncs this")
    func lastEntries() throws {
        let world = MemoryWorld()
        let text = bib(
            ("a", "A", []), ("b", "B", []), ("c", "C", []), ("d", "D", []), ("e", "E", []))
        world.host.write("refs.bib", text)
        try world.sync()
        let start = try #require(text.firstRange(of: "@article{e")?.lowerBound)
        world.device.write(MemoryWorld.folder + "refs.bib", String(text[..<start]))
        try world.sync()
        #expect(world.hostText == text)
        world.options.deletes = true
        try world.sync()
        #expect(world.hostText.contains("{d,") && !world.hostText.contains("{e,"))
    }

    @Test("A library that lost its end in the folder keeps that end on the device")
    func withoutHost() throws {
        for (deletes, left) in [(true, nil), (false, "cut")] {
            let world = try world(cutTo: 0)
            let start = try #require(Self.text.firstRange(of: "@article{e")?.lowerBound)
            world.host.write("other.bib", "@article{x, title = {X}}\n")
            world.device.write(MemoryWorld.folder + "refs.bib", Self.text)
            try world.sync()
            world.host.files["refs.bib"] = nil
            world.device.write(MemoryWorld.folder + "refs.bib", String(Self.text[..<start]))
            world.options.deletes = deletes
            world.options.isForced = true
            try world.sync()
            #expect(world.host.files["refs.bib"] == nil)
            #expect((world.device.files[MemoryWorld.folder + "refs.bib"] == nil) == (left == nil))
        }
    }

    @Test("Trailing blanks that an editor removes are not damage")
    func trimmedEnd() throws {
        let world = MemoryWorld()
        let text = bib(("a", "A", []), ("b", "B", []))
        world.host.write("refs.bib", text + "\n\n")
        try world.sync()
        world.device.write(MemoryWorld.folder + "refs.bib", text)
        #expect(try !world.sync().lines.contains("replace refs.bib"))
    }

    @Test("A file of which nothing is left is repaired, although it had no entries")
    func empty() throws {
        let world = MemoryWorld()
        world.host.write("refs.bib", "@string{m = {Macro}}\n")
        try world.sync()
        world.options.deletes = true
        world.device.write(MemoryWorld.folder + "refs.bib", "")
        #expect(try world.sync().lines == ["replace refs.bib"])
        #expect(world.hostText == "@string{m = {Macro}}\n" && world.deviceText == world.hostText)
    }

    @Test(
        "An error of the device's file that is not at its end is named with its line there, and nothing is changed"
    )
    func deviceIsNamed() throws {
        let world = try world(cutTo: 1000)
        world.device.write(
            MemoryWorld.folder + "refs.bib",
            Self.text.replacing("{b,", with: "{b(1),"))
        let outcome = try world.sync()
        let message = outcome.failures["refs.bib"]?.message ?? ""
        #expect(message.contains("device") && message.contains("line 7, column 11"), "\(message)")
        #expect(world.hostText == Self.text)
    }
}
