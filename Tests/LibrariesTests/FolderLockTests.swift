import Foundation
import HostErrors
import TestSupport
import Testing

@testable import Libraries

@Suite("A lock that cannot be taken says why")
struct FolderLockTests {
    /// The error of taking the lock of a folder.
    private func failure(_ folder: String) -> HostError? {
        #expect(throws: HostError.self) {
            _ = try FolderLock.take(
                folder, waiting: {}, isCancelled: { false }, BackupFolder.unwritable)
        }
    }

    @Test("A lock file that cannot be opened fails with the reason of the system")
    func unopened() throws {
        let folder = try TemporaryFolder()
        #expect(failure(folder.path("none"))?.native == .posix(ENOENT))
        try FileManager.default.createDirectory(
            atPath: folder.path(".lock"), withIntermediateDirectories: true)
        #expect(failure(folder.path)?.native == .posix(EISDIR))
    }

    @Test(
        "The lock of a folder that is not writable is refused for its permissions",
        .enabled(if: geteuid() != 0))
    func refused() throws {
        let folder = try TemporaryFolder()
        #expect(chmod(folder.path, 0o500) == 0)
        #expect(failure(folder.path)?.native == .posix(EACCES))
        #expect(chmod(folder.path, 0o700) == 0)
    }

    @Test("A released lock is free, even if a program that is being started has a copy of its descriptor")
    func released() throws {
        let folder = try TemporaryFolder()
        var lock = FolderLock.takeIfFree(folder.path)
        #expect(lock != nil && FolderLock.takeIfFree(folder.path) == nil)
        let file = try #require(realpath(folder.path(".lock"), nil))
        defer { free(file) }
        let descriptor = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").first {
            let link = "/proc/self/fd/" + $0
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
            return target == String(cString: file)
        }
        let copy = dup(try #require(descriptor.flatMap { Int32($0) }))
        defer { close(copy) }
        lock = nil
        #expect(FolderLock.takeIfFree(folder.path) != nil)
    }
}
