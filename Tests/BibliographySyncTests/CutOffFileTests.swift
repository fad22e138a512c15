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
