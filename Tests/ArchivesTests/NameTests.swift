import Archives
import Foundation
import TestSupport
import Testing

@Suite("Names of entries are decoded, and unsafe ones are never looked up")
struct NameTests {
    private func entry(_ name: [UInt8], _ change: (inout ZipBuilder.Entry) -> Void = { _ in }) throws
        -> ZipArchive
    {
        var builder = ZipBuilder()
        var entry = ZipBuilder.Entry("", Data("content".utf8))
        entry.name = name
        change(&entry)
        builder.entries = [entry]
        return try open(builder)
    }

    @Test("Bit 11 and valid bytes make a name UTF-8")
    func utf8() throws {
        let archive = try entry(Array("Übung/日本.txt".utf8)) { $0.flags = 1 << 11 }
        #expect(archive.entries.map(\.path) == ["Übung/日本.txt"])
        #expect(archive.entry("Übung/日本.txt") != nil)
    }

    @Test("Valid UTF-8 without bit 11 is UTF-8")
    func undeclaredUTF8() throws {
        #expect(try entry(Array("Ü.txt".utf8)).entries.map(\.path) == ["Ü.txt"])
    }

    @Test("Other bytes are code page 437, even if bit 11 says UTF-8", arguments: [UInt16(0), 1 << 11])
    func codePage437(_ flags: UInt16) throws {
        let archive = try entry([0x9A, 0x62, 0x75, 0x6E, 0x67, 0x2E, 0xE1]) { $0.flags = flags }
        #expect(archive.entries.map(\.path) == ["Übung.ß"])
        #expect(archive.entry("Übung.ß") != nil)
    }

    @Test("Each byte of code page 437 is its own character")
    func wholeCodePage() throws {
        let name = [UInt8](128...255)
        let path = try #require(try entry(name).entries.first?.path)
        #expect(path.unicodeScalars.count == 128)
        #expect(path.hasPrefix("ÇüéâäàåçêëèïîìÄÅ") && path.hasSuffix("≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"))
    }

    @Test("The Unicode path field counts if its checksum is that of the raw name")
    func unicodePath() throws {
        let raw: [UInt8] = [0x9A, 0x2E, 0x74]
        func field(_ checksum: UInt32, _ name: [UInt8]) -> Data {
            ZipBuilder.number(0x7075, 2) + ZipBuilder.number(5 + name.count, 2) + Data([1])
                + ZipBuilder.number(checksum, 4) + name
        }
        let right = ZipBuilder.checksum(Data(raw))
        #expect(
            try entry(raw) { $0.extra = field(right, Array("日本.t".utf8)) }.entries.map(\.path) == ["日本.t"])
        #expect(
            try entry(raw) { $0.extra = field(right ^ 1, Array("日本.t".utf8)) }.entries.map(\.path) == ["Ü.t"])
        #expect(try entry(raw) { $0.extra = field(right, [0xFF]) }.entries.map(\.path) == ["Ü.t"])
        let declared = try entry(Array("a.t".utf8)) {
            $0.flags = 1 << 11
            $0.extra = field(ZipBuilder.checksum(Data("a.t".utf8)), Array("b.t".utf8))
        }
        #expect(declared.entries.map(\.path) == ["a.t"])
    }

    @Test("The Unicode path field cannot smuggle an unsafe name")
    func unsafeUnicodePath() throws {
        let name = Array("../x".utf8)
        let archive = try entry(Array("a".utf8)) {
            $0.extra =
                ZipBuilder.number(0x7075, 2) + ZipBuilder.number(5 + name.count, 2) + Data([1])
                + ZipBuilder.number(ZipBuilder.checksum(Data("a".utf8)), 4) + name
        }
        #expect(archive.entries.isEmpty && archive.refusedEntries.count == 1)
    }

    @Test("Backslashes separate segments where DOS or NTFS wrote them, and nowhere else")
    func backslashes() throws {
        let name = Array(#"a\b.txt"#.utf8)
        for system: UInt16 in [0, 6, 10, 14] {
            #expect(try entry(name) { $0.madeBy = system << 8 }.entries.map(\.path) == ["a/b.txt"])
        }
        let unix = try entry(name)
        #expect(unix.entries.map(\.path) == [#"a\b.txt"#])
        #expect(unix.entry("a/b.txt") == nil)
    }

    @Test(
        "Absolute names, climbing ones and those with NUL are kept in no index",
        arguments: ["/a", "../a", "a/../b", "a/..", "..", "a\0b", "/", "//a"])
    func unsafe(_ name: String) throws {
        let archive = try entry(Array(name.utf8))
        #expect(archive.entries.isEmpty)
        #expect(archive.entry(name) == nil)
        #expect(archive.refusedEntries.count == (name.hasSuffix("/") ? 0 : 1))
    }

    @Test(
        "Names that DOS treats as absolute or climbing are refused",
        arguments: [#"\a"#, #"..\a"#, #"a\..\b"#, #"C:\a"#, "C:a"])
    func unsafeForDOS(_ name: String) throws {
        #expect(try entry(Array(name.utf8)) { $0.madeBy = 0 }.entries.isEmpty)
    }

    @Test(
        "Names with dots that do not climb are kept",
        arguments: ["...", "a..", "..a", "a/...b", ".hidden", "C:a"])
    func harmlessDots(_ name: String) throws {
        #expect(try entry(Array(name.utf8)).entries.map(\.path) == [name])
    }

    @Test("A dot segment at the start of a path is removed", arguments: ["./a/b", "././a/b"])
    func leadingDot(_ name: String) throws {
        let archive = try entry(Array(name.utf8))
        #expect(archive.entries.map(\.path) == ["a/b"])
        #expect(archive.entry("a/b") != nil)
    }

    @Test("The first of several entries with one name wins")
    func duplicates() throws {
        let archive = try open(ZipBuilder(["a": "first", "b": "other", "./a": "second", "a": "third"]))
        #expect(archive.entries.map(\.path) == ["a", "b"])
        #expect(try archive.read(try #require(archive.entry("a"))) == Data("first".utf8))
        #expect(try archive.read(try #require(archive.entry("b"))) == Data("other".utf8))
    }

    @Test("Exact bytes come before canonical equality, and both spellings stay reachable")
    func normalisation() throws {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        let both = try open(ZipBuilder([composed: "composed", decomposed: "decomposed"]))
        #expect(both.entries.count == 2)
        #expect(try both.read(try #require(both.entry(composed))) == Data("composed".utf8))
        #expect(try both.read(try #require(both.entry(decomposed))) == Data("decomposed".utf8))
        let one = try open(ZipBuilder([decomposed: "decomposed"]))
        #expect(try one.read(try #require(one.entry(composed))) == Data("decomposed".utf8))
        #expect(one.entry("cafe") == nil)
    }

    @Test("Names are compared with regard to case, as a whole")
    func exactCase() throws {
        let archive = try open(ZipBuilder(["Meta/a": "1"]))
        #expect(
            archive.entry("meta/a") == nil && archive.entry("Meta") == nil && archive.entry("Meta/") == nil)
        #expect(archive.entry("") == nil)
    }

    @Test("The bytes of a path can be had without a string")
    func pathBytes() throws {
        let entry = try #require(try open(ZipBuilder(["a/b.txt": "1"])).entries.first)
        #expect(entry.withPathBytes { Array($0) } == Array("a/b.txt".utf8))
    }
}
