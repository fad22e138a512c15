import BibTeX
import BibliographySync
import Testing

@Suite("Bibliographies in other encodings than UTF-8 are synced")
struct EncodedLibraryTests {
    @Test(
        "Addresses and paths keep their letters in a file of one byte for each, which becomes UTF-8 for them")
    func addresses() throws {
        let world = MemoryWorld()
        let old = "%% Saved with string encoding Western (ISO Latin 1) \n\n@a{l,\n\ttitle = {M"
        let rest = "ller}}\n@bibdesk_info{document_info,\n\tname = {x}\n}\n"
        world.host.write("refs.bib", Array(old.utf8) + [0xFC] + Array(rest.utf8))
        try world.sync()
        world.editDevice("@a{l,", "@a{l, url = {http://a/ő}, bdsk-url-1 = {http://b/ő}, file = {:ő.pdf:PDF},")
        world.editDevice("name = {x}", "name = {ő}")
        try world.sync()
        for text in ["http://a/ő", "http://b/ő", ":ő.pdf:PDF", "name = {ő}", "Müller", "Unicode (UTF-8)"] {
            #expect(world.hostText.contains(text), "\(text)")
        }
    }

    @Test(
        "A file that is the same on both sides is copied with its date, and any other is written for the device"
    )
    func dates() throws {
        let world = MemoryWorld()
        world.host.write("refs.bib", bib(("a", "A", [])))
        world.host.write("other.bib", Array("@a{l, title = {M".utf8) + [0xFC] + Array("ller}}\n".utf8))
        try world.sync()
        #expect(world.together.libraries == ["refs.bib"] && world.deviceText == world.hostText)
        world.edit("{A}", "{B}")
        world.together.libraries = []
        #expect(try world.sync().lines == ["update a", "update refs.bib"])
        #expect(world.together.libraries == ["refs.bib"] && world.deviceText.contains("{B}"))
        #expect(try world.sync().rows == [])
    }

    @Test("A file that does not name its encoding is reported with the one that was guessed")
    func guessed() throws {
        let world = MemoryWorld()
        world.host.write("refs.bib", Array("@a{l, title = {M".utf8) + [0xFC] + Array("ller}}\n".utf8))
        let row = try world.sync().rows.first { $0.item == "refs.bib" }
        #expect(row?.reason?.contains("Windows-1252") == true && world.deviceText.contains("Müller"))
    }

    @Test(
        "A fallback encoding that is set after the first sync changes the device's letters, and not the host's"
    )
    func laterEncoding() throws {
        let world = MemoryWorld()
        let bytes = Array("@a{k, x = {Ren".utf8) + [0xE9] + Array("}}\n@a{l, x = {1}}\n".utf8)
        world.host.write("refs.bib", bytes)
        try world.sync()
        #expect(world.deviceText.contains("{René}"))
        world.options.fallbackEncoding = .macRoman
        world.editDevice("{1}", "{2}")
        try world.sync()
        #expect(world.deviceText.contains("{RenÈ}"))
        #expect(
            world.host.files["refs.bib"]?.bytes
                == bytes.map { $0 == UInt8(ascii: "1") ? UInt8(ascii: "2") : $0 })
        world.options.fallbackEncoding = .windows1252
        try world.sync()
        #expect(world.deviceText.contains("{René}") && world.deviceText.contains("{2}"))
        #expect(try world.sync().rows == [])
        // Without the setting, texts that were read before stay as they were read.
        world.options.fallbackEncoding = nil
        world.editDevice("{2}", "{3}")
        try world.sync()
        #expect(world.deviceText.contains("{René}"))
    }

    @Test("A file in another encoding stays in it on the host, and is UTF-8 on the device")
    func encodings() throws {
        let world = MemoryWorld()
        world.options.fallbackEncoding = .macRoman
        world.host.write("refs.bib", Array("@a{k, x = {M".utf8) + [0x9F] + Array("ller}}\n".utf8))
        try world.sync()
        #expect(world.deviceText.contains("{Müller}"))
        world.editDevice("{Müller}", "{Müller é}")
        try world.sync()
        #expect(
            world.host.files["refs.bib"]?.bytes == Array("@a{k, x = {M".utf8) + [0x9F] + Array("ller ".utf8)
                + [0x8E] + Array("}}\n".utf8))
    }
}
