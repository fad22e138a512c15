import Foundation
import OverlayServices
import Platform
import TestSupport
import Testing

@testable import OverlayHost

@Suite("A copy of a backup is read once for its checksum")
struct BackupCopyTests {
    @Test("Data that were read ahead are given later, without reading the copy again")
    func ahead() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("fetched")
        try Data("Emma".utf8).write(to: URL(fileURLWithPath: file))
        let copies = PullFolder(parent: folder.url.path)
        defer { copies.remove() }
        let copy = try BackupCopy(FetchedBook(path: file), in: copies, findings: CopyFindings())
        copy.readAhead()
        try Data("Persuasion".utf8).write(to: URL(fileURLWithPath: copy.path))
        let checksum = try copy.checksum()
        let digest = try #require(Digest.of(Array("Emma".utf8), .sha256))
        #expect(checksum.size == 4 && checksum.digest == Hex.text(digest))
    }

    @Test("A missing copy is reported when it is needed, even if it was to be read ahead")
    func gone() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("fetched")
        try Data("Emma".utf8).write(to: URL(fileURLWithPath: file))
        let copies = PullFolder(parent: folder.url.path)
        defer { copies.remove() }
        let copy = try BackupCopy(FetchedBook(path: file), in: copies, findings: CopyFindings())
        try FileManager.default.removeItem(atPath: copy.path)
        copy.readAhead()
        #expect(throws: HostError.self) { try copy.checksum() }
    }
}
