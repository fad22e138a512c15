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
}
