import OverlayABI
import OverlayBridge
import OverlayKit
import Testing

@Suite("Texts keep their bytes across the boundary, and other bytes are reported")
struct TextTests {
    @Test(
        "A text arrives as it was sent",
        arguments: ["", "a", "fifteen bytes ..", "naïve 📚 \u{0} end", "e\u{301}"])
    func roundTrip(_ text: String) throws {
        let arena = Arena()
        let view = arena.text(text)
        #expect(view.data != nil)
        let copy = try withExtendedLifetime(arena) { () throws(OverlayError) in try view.string("text") }
        #expect(copy.map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test("Absent is not empty, for texts, lists and bytes")
    func absentIsNotEmpty() throws {
        let arena = Arena()
        #expect(arena.text(String?.none).data == nil)
        #expect(arena.texts(nil).items == nil)
        #expect(arena.texts([]).items != nil)
        #expect(arena.bytes(nil).data == nil)
        #expect(arena.bytes([]).data != nil)
        #expect(try ovl_text().string("text") == nil)
        #expect(try ovl_texts().strings("texts") == nil)
        #expect(try arena.texts([]).strings("texts") == [])
        #expect(try ovl_bytes().array("bytes") == nil)
        #expect(try arena.bytes([]).array("bytes") == [])
        withExtendedLifetime(arena) {}
    }

    @Test(
        "Bytes that are not UTF-8 are reported, not repaired",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98],
            [0xF5, 0x80, 0x80, 0x80],
            [0x41, 0xFF], [0xF0, 0x9F, 0x98, 0x41],
        ] as [[UInt8]])
    func invalid(_ bytes: [UInt8]) {
        let arena = Arena()
        let view = arena.bytes(bytes)
        let error = #expect(throws: OverlayError.self) {
            try view.data?.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                data throws(OverlayError) in
                _ = try ovl_text(data: data, size: view.size).string("title")
            }
        }
        #expect(error?.status == .contractBroken)
        #expect(error?.subject == "title")
        withExtendedLifetime(arena) {}
    }

    @Test("A replacement character in the original is kept")
    func replacementCharacter() throws {
        let arena = Arena()
        #expect(try arena.text("\u{FFFD}").string("text") == "\u{FFFD}")
        withExtendedLifetime(arena) {}
    }

    @Test("A null pointer with a size is reported")
    func nullWithSize() {
        #expect(throws: OverlayError.self) { try ovl_text(data: nil, size: 1).string("text") }
        #expect(throws: OverlayError.self) { try ovl_bytes(data: nil, size: 1).array("bytes") }
        #expect(throws: OverlayError.self) { try ovl_texts(items: nil, count: 1).strings("texts") }
        #expect(throws: OverlayError.self) {
            try ovl_list(items: nil, count: 1, stride: 8).forEach(ovl_pair.self, "list") { _ in }
        }
    }

    @Test("A size or count beyond memory is reported before anything is read")
    func impossibleSizes() {
        let arena = Arena()
        let address = arena.text("x").data
        #expect(throws: OverlayError.self) { try ovl_text(data: address, size: .max).string("text") }
        #expect(throws: OverlayError.self) {
            try ovl_bytes(data: UnsafePointer(arena.bytes([1]).data), size: .max).array("bytes")
        }
        let items = arena.texts(["x"]).items
        #expect(throws: OverlayError.self) { try ovl_texts(items: items, count: .max / 16).strings("texts") }
        withExtendedLifetime(arena) {}
    }

    @Test("Values in an arena stay in place when the arena grows")
    func arenaGrows() throws {
        let arena = Arena()
        let first = arena.text("first")
        let long = String(repeating: "ü", count: 40_000)
        let views = (0..<5).map { _ in arena.text(long) }
        #expect(try first.string("text") == "first")
        for view in views { #expect(try view.string("text") == long) }
        arena.reset()
        #expect(try arena.text("again").string("text") == "again")
        withExtendedLifetime(arena) {}
    }
}
