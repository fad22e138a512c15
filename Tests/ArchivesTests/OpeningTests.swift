import Archives
import Foundation
import TestSupport
import Testing

@Suite("An archive is opened by its directory alone")
struct OpeningTests {
    @Test("One read of the end suffices for an archive with many entries")
    func oneRead() throws {
        var builder = ZipBuilder()
        builder.entries = (0..<100).map { ZipBuilder.Entry("text/chapter\($0).html", noise(5_000)) }
        let source = CountingSource(builder.data())
        let archive = try ZipArchive.open(source: source)
        #expect(archive.entries.count == 100)
        #expect(archive.entry("text/chapter42.html")?.length == 5_000)
        #expect(source.reads.count == 1)
        #expect(source.bytesRead == 16 << 10)
        #expect(archive.bytesRead == 16 << 10 && archive.readCalls == 1)
    }

    @Test("An empty archive has no entries")
    func empty() throws {
        #expect(try open(ZipBuilder()).entries.isEmpty)
    }

    @Test("Entries keep the order of the directory, and folders are left out")
    func order() throws {
        var builder = ZipBuilder(["z.txt": "1", "folder/": "", "a.txt": "2"], method: 0)
        var marked = ZipBuilder.Entry("marked", Data())
        marked.attributes = 0o040755 << 16
        var dos = ZipBuilder.Entry("dos", Data())
        (dos.attributes, dos.madeBy) = (0x10, 20)
        builder.entries += [marked, dos]
        let archive = try open(builder)
        #expect(archive.entries.map(\.path) == ["z.txt", "a.txt"])
        #expect(archive.entry("folder/") == nil && archive.entry("marked") == nil)
    }

    @Test("The end record is found behind a comment of any length", arguments: [0, 1, 16_384, 65_535])
    func comment(_ length: Int) throws {
        var builder = ZipBuilder(["a": "b"])
        builder.comment = Data(repeating: 0x20, count: length)
        #expect(try open(builder).entries.count == 1)
    }

    @Test("An end record inside the comment is passed over")
    func recordInComment() throws {
        var builder = ZipBuilder(["real": "b"])
        var fake = ZipBuilder(["fake": "b"])
        fake.directoryStart = 0xFFFF_FF00
        builder.comment = Data(fake.data().suffix(22)) + Data("tail".utf8)
        #expect(try open(builder).entries.map(\.path) == ["real"])
    }

    @Test("Bytes behind the archive do no harm")
    func trailingBytes() throws {
        let archive = try ZipArchive.open(
            source: DataByteSource(ZipBuilder(["a": "b"]).data() + Data(count: 100)))
        #expect(archive.entries.count == 1)
    }

    @Test("Numbers come from the ZIP64 records and fields where they are saturated")
    func zip64() throws {
        var builder = ZipBuilder(["a": "content of a", "b": "content of b"])
        builder.isZip64 = true
        for place in builder.entries.indices { builder.entries[place].isZip64 = true }
        let archive = try open(builder)
        let entry = try #require(archive.entry("b"))
        #expect(try archive.read(entry) == Data("content of b".utf8))
    }

    @Test("A ZIP64 record far before the end is fetched")
    func distantZip64() throws {
        var builder = ZipBuilder(["a": "b"], method: 0)
        builder.isZip64 = true
        let archive = builder.data()
        // The record is as far forward as the locator can reach: after the entries, 32 KiB before the locator.
        let recordStart = archive.count - 22 - 20 - 56
        var moved = archive[..<(recordStart + 56)] + Data(count: 32 << 10)
        moved += archive[(recordStart + 56)...]
        #expect(try ZipArchive.open(source: DataByteSource(Data(moved))).entries.count == 1)
    }

    @Test("More than 65,535 entries need ZIP64")
    func manyEntries() throws {
        var builder = ZipBuilder()
        builder.entries = (0..<70_000).map { ZipBuilder.Entry("\($0)", Data()) }
        builder.count = 70_000 & 0xFFFF
        #expect(code { try open(builder) } == .malformed)
        builder.isZip64 = true
        builder.count = nil
        let archive = try open(builder)
        #expect(archive.entries.count == 70_000)
        #expect(archive.entry("69999") != nil && archive.entry("70000") == nil)
    }

    @Test("A file opens by its path, and anything else is refused with its kind")
    func files() throws {
        let folder = try TemporaryFolder()
        try ZipBuilder(["a": "b"]).data().write(to: URL(fileURLWithPath: folder.path("a.zip")))
        try Data("text".utf8).write(to: URL(fileURLWithPath: folder.path("a.txt")))
        #expect(try ZipArchive.open(path: folder.path("a.zip")).entries.count == 1)
        #expect(code { try ZipArchive.open(path: folder.path("a.txt")) } == .notAnArchive)
        #expect(code { try ZipArchive.open(path: folder.path("absent")) } == .unreadable)
        #expect(code { try ZipArchive.open(path: folder.path) } == .unreadable)
        #expect(code { try ZipArchive.open(path: folder.path("a.zip") + "\0.txt") } == .unreadable)
    }

    @Test("Limits of entries and names are kept")
    func limits() throws {
        let builder = ZipBuilder(["abc": "1", "def": "2"])
        var limits = ZipLimits()
        limits.entries = 1
        #expect(code { try open(builder, limits: limits) } == .tooLarge)
        limits = ZipLimits()
        limits.nameBytes = 5
        #expect(code { try open(builder, limits: limits) } == .tooLarge)
        limits.nameBytes = 6
        #expect(code { try open(builder, limits: limits) } == nil)
        limits = ZipLimits()
        limits.directoryBytes = 90
        #expect(code { try open(builder, limits: limits) } == .tooLarge)
    }

    @Test("Real books open and every entry has its checksum", arguments: try RealBooks.some())
    func realBooks(_ book: URL) throws {
        let archive = try ZipArchive.open(path: book.path)
        #expect(archive.entry("META-INF/container.xml") != nil)
        for entry in archive.entries {
            #expect(try archive.read(entry).count == Int(entry.length))
        }
    }
}
