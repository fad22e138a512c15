import Foundation
import OverlayServices
import TestSupport
import Testing

@Suite("The folder for fetched files does not outlive its process for long")
struct PullFolderTests {
    @Test("What a killed process left is removed, and what a running one holds is kept")
    func leftovers() throws {
        let folder = try TemporaryFolder()
        func make(_ name: String) throws -> String {
            let path = folder.path(name)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try Data("half".utf8).write(to: URL(fileURLWithPath: path + "/1"))
            return path
        }
        let left = try make(".overlayhost-held-1-left")
        let taken = try make(".overlayhost-held-1-taken")
        let lock = open(taken, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        let fetched = PullFolder(parent: folder.path)
        let path = try fetched.newPath()
        try Data("book".utf8).write(to: URL(fileURLWithPath: path))
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(FileManager.default.fileExists(atPath: taken + "/1"))
        fetched.remove()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path) == [".overlayhost-held-1-taken"])
    }
}
