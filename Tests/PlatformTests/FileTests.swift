import Foundation
import Platform
import Testing

@Suite("Files are complete or do not exist")
struct FileTests {
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    @Test("A file takes the place of an earlier one only when it is complete", arguments: [true, false])
    func replaced(survivesPowerCut: Bool) throws {
        try inFolder { folder in
            let place = folder + "/file"
            try Data("old".utf8).write(to: URL(fileURLWithPath: place))
            do {
                let file = try #require(TemporaryFile(beginning: folder + "/.file"))
                #expect(writeAll(Array("new".utf8), to: file.descriptor) == 0)
                #expect(try String(contentsOfFile: place, encoding: .utf8) == "old")
                #expect(file.move(to: place, survivesPowerCut: survivesPowerCut) == 0)
            }
            #expect(try String(contentsOfFile: place, encoding: .utf8) == "new")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
        }
    }

    @Test("A file that is not put in place is removed")
    func abandoned() throws {
        try inFolder { folder in
            do {
                let file = try #require(TemporaryFile(beginning: folder + "/.file"))
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
                #expect(file.move(to: folder + "/no/such/folder", survivesPowerCut: false) == ENOENT)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            #expect(TemporaryFile(beginning: folder + "/no/file") == nil && errno == ENOENT)
        }
    }

    @Test("A small file replaces an earlier one whole, with the given mode and nothing left beside it")
    func written() throws {
        try inFolder { folder in
            let place = folder + "/file"
            #expect(TemporaryFile.write(Array("old".utf8), to: place, mode: 0o666) == 0)
            #expect(TemporaryFile.write(Array("new".utf8), to: place, mode: 0o640) == 0)
            #expect(try String(contentsOfFile: place, encoding: .utf8) == "new")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
            var status = stat()
            try #require(stat(place, &status) == 0)
            // The umask may remove permissions of the group, but never those of the owner, and it adds none.
            #expect(status.st_mode & 0o727 == 0o600)
            #expect(TemporaryFile.write([], to: folder + "/no/file", mode: 0o600) == ENOENT)
        }
    }

    @Test("A file whose folder is missing gets its place after the folder was made")
    func movedAgain() throws {
        try inFolder { folder in
            let file = try #require(TemporaryFile(beginning: folder + "/.file"))
            #expect(writeAll(Array("new".utf8), to: file.descriptor) == 0)
            #expect(file.move(to: folder + "/sub/file", survivesPowerCut: true) == ENOENT)
            #expect(makeFolders(folder + "/sub", mode: 0o700) == 0)
            #expect(file.move(to: folder + "/sub/file", survivesPowerCut: true) == 0)
            #expect(try String(contentsOfFile: folder + "/sub/file", encoding: .utf8) == "new")
        }
    }

    @Test("All bytes are written, also by pieces")
    func whole() throws {
        let bytes = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        // A pipe holds less than that.
        let thread = SystemThread {
            _ = writeAll(bytes, to: writing)
            close(writing)
        }
        var read: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1000)
        while case let count = Glibc.read(reading, &piece, piece.count), count > 0 { read += piece[..<count] }
        close(reading)
        try #require(thread).join()
        #expect(read == bytes)
    }

    @Test("A failure has its errno")
    func failures() {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        #expect(writeAll([1], to: full) == ENOSPC)
        #expect(writeAll([1], to: -1) == EBADF)
        #expect(writeAll([], to: -1) == 0)
    }
}
