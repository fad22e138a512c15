import Formats
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Files are moved with the extension of their format")
struct FileTests {
    private func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
    private func content(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("The format is guessed once, also when it is none, by many threads at once")
    func once() throws {
        let folder = try TemporaryFolder()
        try write("x", folder.path("a"))
        let calls = Atomic<Int>(0)
        let file = File(
            path: folder.path("a"),
            formatSniffers: [
                { _, inspecting in
                    calls.wrappingAdd(1, ordering: .relaxed)
                    return nil
                }
            ])
        DispatchQueue.concurrentPerform(iterations: 16) { _ in #expect(file.format == nil) }
        #expect(calls.load(ordering: .relaxed) == 2)
    }

    @Test("Hints are the path, the address if it is one, and media types")
    func hints() throws {
        let folder = try TemporaryFolder()
        try write("x", folder.path("download"))
        #expect(
            File(path: folder.path("download"), sourceURL: "https://example.com/b.epub?x=1").format == .epub)
        #expect(File(path: folder.path("download"), sourceURL: "https://example.com/?x=b.epub").format == nil)
        #expect(File(path: folder.path("download"), mediaTypes: ["application/pdf"]).format == .pdf)
        #expect(File(path: folder.path("download.cbz")).format == .cbz)
        #expect(File(path: folder.path("download"), formatSniffers: []).format == nil)
    }

    @Test("A move renames, keeps what is known, and leaves the old object as a record")
    func move() throws {
        let folder = try TemporaryFolder()
        try write("%PDF", folder.path("a"))
        let file = File(path: folder.path("a"), sourceURL: "https://example.com/")
        #expect(file.format == .pdf)
        let moved = try #require(file.move(destinationPath: folder.path("b.epub")))
        #expect(moved.path == folder.path("b.epub") && moved.sourceURL == "https://example.com/")
        #expect(moved.format == .pdf && file.format == .pdf && file.path == folder.path("a"))
        #expect(content(folder.path("b.epub")) == "%PDF" && content(folder.path("a")) == nil)
        #expect(file.move(destinationPath: folder.path("c")) == nil)
    }

    @Test("An unguessed file keeps its old extension as a hint, so that a new name cannot change the answer")
    func unguessed() throws {
        let folder = try TemporaryFolder()
        try write("x", folder.path("a.epub"))
        let moved = try #require(File(path: folder.path("a.epub")).move(destinationPath: folder.path("b")))
        let again = try #require(moved.move(destinationPath: folder.path("c.pdf")))
        #expect(again.format == .epub)
    }

    @Test("Nothing at the destination is replaced, no folder is made, and the source stays on failure")
    func refused() throws {
        let folder = try TemporaryFolder()
        try write("one", folder.path("a"))
        try write("two", folder.path("b"))
        let file = File(path: folder.path("a"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("dangling"), withDestinationPath: folder.path("nothing"))
        try FileManager.default.createDirectory(
            atPath: folder.path("folder"), withIntermediateDirectories: false)
        for target in [
            "b", "missing/a", "b/a", "dangling", "folder", "x\u{0}y", "\(String(repeating: "n", count: 300))",
        ] {
            #expect(file.move(destinationPath: folder.path + "/" + target) == nil, "\(target)")
        }
        #expect(file.move(destinationPath: "") == nil)
        #expect(content(folder.path("a")) == "one" && content(folder.path("b")) == "two")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "a", "b", "dangling", "folder",
            ])
    }

    @Test("A move onto itself succeeds and gives an equal object, also by another spelling and of a link")
    func itself() throws {
        let folder = try TemporaryFolder()
        try write("%PDF", folder.path("a"))
        let file = File(path: folder.path("a"))
        #expect(file.move(destinationPath: folder.path("a")) == file)
        #expect(file.move(destinationPath: folder.path + "/./a")?.format == .pdf)
        #expect(content(folder.path("a")) == "%PDF")
        try FileManager.default.linkItem(atPath: folder.path("a"), toPath: folder.path("b"))
        #expect(file.move(destinationPath: folder.path("b")) == nil)
        #expect(content(folder.path("a")) == "%PDF")
        #expect(File(path: folder.path("missing")).move(destinationPath: folder.path("missing")) == nil)
    }

    /// A folder on another file system that can be written to, if there is one.
    static let otherFileSystem: String? = {
        var here = stat()
        var there = stat()
        let shared = "/dev/shm"
        guard stat(FileManager.default.temporaryDirectory.path, &here) == 0, stat(shared, &there) == 0,
            here.st_dev != there.st_dev, access(shared, W_OK) == 0
        else { return nil }
        return shared
    }()

    @Test(
        "A move to another file system copies the whole file with mode and time, and removes the original",
        .enabled(if: otherFileSystem != nil))
    func acrossFileSystems() throws {
        let folder = try TemporaryFolder()
        let other = try #require(Self.otherFileSystem) + "/oh-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: other) } }
        let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try bytes.write(to: URL(fileURLWithPath: folder.path("a.cbz")))
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640, .modificationDate: date], ofItemAtPath: folder.path("a.cbz"))
        try write("there", other + "/taken")
        let file = File(path: folder.path("a.cbz"))
        #expect(file.move(destinationPath: other + "/taken") == nil)
        #expect(file.move(destinationPath: other + "/missing/a") == nil)
        #expect(content(other + "/taken") == "there")
        #expect(FileManager.default.contents(atPath: folder.path("a.cbz")) == bytes)
        let moved = try #require(file.move(destinationPath: other + "/b"))
        #expect(FileManager.default.contents(atPath: other + "/b") == bytes && moved.format == .cbz)
        #expect(!FileManager.default.fileExists(atPath: folder.path("a.cbz")))
        let attributes = try FileManager.default.attributesOfItem(atPath: other + "/b")
        #expect(
            attributes[.posixPermissions] as? Int == 0o640 && attributes[.modificationDate] as? Date == date)
        #expect(try FileManager.default.contentsOfDirectory(atPath: other).sorted() == ["b", "taken"])
    }
}
