import Archives
import Foundation
import TestSupport
import Testing

/// ZIP specification 4.3 to 4.5, and EPUB's container format.
@Suite("Archives that are written piece by piece are read by other programs")
struct ZipWriterTests {
    /// Text that compresses, bytes that do not, an empty entry, and a name that is not ASCII.
    static let contents: [(name: String, bytes: [UInt8])] = {
        var random = SeededGenerator(seed: 7)
        let noise = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        return [
            ("META-INF/container.xml", Array(String(repeating: "<rootfile/>", count: 20_000).utf8)),
            ("images/cover.jpg", noise), ("empty", []), ("Größe/漢字.xhtml", Array("<p/>".utf8)),
        ]
    }()

    /// A book that starts with its `mimetype`; the rest is added whole or in pieces of this size.
    static func book(
        _ compression: ZipWriter.Compression, piece: Int? = nil, expecting: Bool = true, after: UInt64 = 0
    ) throws -> [UInt8] {
        let writer = ZipWriter(after: after)
        var archive = try writer.add("mimetype", Array("application/epub+zip".utf8), .stored)
        for (name, bytes) in contents {
            guard let piece else {
                archive += try writer.add(name, bytes, compression, modified: 1_661_216_418)
                continue
            }
            archive += try writer.begin(name, compression, expecting: expecting ? UInt64(bytes.count) : nil)
            for start in stride(from: 0, to: bytes.count, by: piece) {
                archive += try writer.append(Array(bytes[start..<min(start + piece, bytes.count)]))
            }
            archive += try writer.end()
        }
        archive += try writer.finish()
        #expect(writer.length == after + UInt64(archive.count))
        return archive
    }

    /// Every way to write the same book.
    static let ways: [(ZipWriter.Compression, Int?, Bool)] = [
        (.stored, nil, true), (.deflated, nil, true), (.stored, 1 << 20, true), (.deflated, 777, true),
        (.deflated, 70_000, false), (.stored, 5000, false),
    ]

    private func file(_ archive: [UInt8], in folder: TemporaryFolder) throws -> String {
        let path = folder.path("book.epub")
        try Data(archive).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("Our own reader gives back every byte", arguments: 0..<ways.count)
    func ownReader(way: Int) throws {
        let (compression, piece, expecting) = Self.ways[way]
        let folder = try TemporaryFolder()
        let archive = try ZipArchive.open(
            path: try file(try Self.book(compression, piece: piece, expecting: expecting), in: folder))
        #expect(archive.entries.map(\.path) == ["mimetype"] + Self.contents.map(\.name))
        for (name, bytes) in Self.contents {
            #expect(try Array(archive.read(#require(archive.entry(name)))) == bytes)
        }
    }

    @Test("Info-ZIP finds no fault with it", arguments: 0..<ways.count)
    func infoZip(way: Int) throws {
        let (compression, piece, expecting) = Self.ways[way]
        let folder = try TemporaryFolder()
        let path = try file(try Self.book(compression, piece: piece, expecting: expecting), in: folder)
        let result = try runProgram("unzip", ["-tqq", path])
        #expect(result.status == 0, "\(result.output) \(result.errors)")
    }

    @Test("Python reads it, also as a stream", arguments: 0..<ways.count)
    func python(way: Int) throws {
        let (compression, piece, expecting) = Self.ways[way]
        let folder = try TemporaryFolder()
        let path = try file(try Self.book(compression, piece: piece, expecting: expecting), in: folder)
        let script = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1])
            assert z.testzip() is None
            for i in z.infolist(): assert len(z.read(i)) == i.file_size
            print(z.namelist()[0], z.infolist()[0].compress_type, len(z.namelist()))
            """
        let result = try runProgram("python3", ["-c", script, path])
        #expect(result.output == "mimetype 0 5\n", "\(result.errors)")
    }

    @Test("The first entry of a book is found by its bytes alone, as EPUB demands")
    func mimetype() throws {
        let archive = try Self.book(.deflated, piece: 4096)
        #expect(Array(archive[0..<4]) == [0x50, 0x4B, 3, 4])
        #expect(String(decoding: archive[30..<58], as: UTF8.self) == "mimetypeapplication/epub+zip")
        #expect(Array(archive[6..<10]) == [0, 0, 0, 0])
    }

    @Test("Archives with more entries than 16 bits can count have ZIP64 records")
    func manyEntries() throws {
        let writer = ZipWriter()
        var archive: [UInt8] = []
        for index in 0..<66_000 { archive += try writer.add("\(index)", [1], .stored) }
        archive += try writer.finish()
        let folder = try TemporaryFolder()
        let path = try file(archive, in: folder)
        #expect(try ZipArchive.open(path: path).entries.count == 66_000)
        let script = "import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).namelist()))"
        #expect(try runProgram("python3", ["-c", script, path]).output == "66000\n")
    }

    @Test("An archive behind more than 4 GiB is found where it is")
    func farAway() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("far.zip")
        let gap: UInt64 = 5 << 30
        let archive = try Self.book(.deflated, piece: 4096, after: gap)
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seek(toOffset: gap)
        try handle.write(contentsOf: Data(archive))
        try handle.close()
        // Our own reader does not accept an archive that has anything before it.
        let script = "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).testzip())"
        #expect(try runProgram("python3", ["-c", script, path]).output == "None\n")
    }

    @Test(
        "A name that could lead out of a folder, or is taken, is refused",
        arguments: ["", "/a", "a/", "../a", "a/../b", "a//b", ".", "a\\b", "nul\u{0}", "there"])
    func names(name: String) throws {
        let writer = ZipWriter()
        _ = try writer.add("there", [])
        #expect(throws: ArchiveError.self) { try writer.add(name, [1]) }
        #expect(throws: ArchiveError.self) { try writer.begin(name) }
    }

    @Test("Calls out of order are refused, and change nothing")
    func order() throws {
        let writer = ZipWriter()
        #expect(throws: ArchiveError.self) { try writer.append([1]) }
        #expect(throws: ArchiveError.self) { try writer.end() }
        var archive = try writer.begin("a")
        #expect(throws: ArchiveError.self) { try writer.add("b", [1]) }
        #expect(throws: ArchiveError.self) { try writer.begin("b") }
        #expect(throws: ArchiveError.self) { try writer.finish() }
        archive += try writer.append([1, 2, 3])
        archive += try writer.end()
        archive += try writer.finish()
        #expect(throws: ArchiveError.self) { try writer.add("b", [1]) }
        let read = try ZipArchive.open(source: DataByteSource(Data(archive)))
        #expect(try Array(read.read(#require(read.entry("a")))) == [1, 2, 3])
    }

    @Test("Times are kept to two seconds, and a time outside ZIP's range becomes its first day")
    func times() throws {
        let writer = ZipWriter()
        let times: [Int64] = [1_661_216_418, 951_782_400, 0, .max]
        var archive: [UInt8] = []
        for (index, time) in times.enumerated() {
            archive += try writer.add("\(index)", [1], .stored, modified: time)
        }
        archive += try writer.finish()
        let folder = try TemporaryFolder()
        let path = try file(archive, in: folder)
        let script =
            "import sys, zipfile; print([i.date_time for i in zipfile.ZipFile(sys.argv[1]).infolist()])"
        let expected =
            "[(2022, 8, 23, 1, 0, 18), (2000, 2, 29, 0, 0, 0), (1980, 1, 1, 0, 0, 0), (1980, 1, 1, 0, 0, 0)]\n"
        #expect(try runProgram("python3", ["-c", script, path]).output == expected)
    }
}
