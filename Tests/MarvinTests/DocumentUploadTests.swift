import OverlayKitTesting
import Claims
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("Books added among the documents replace none, and hosts take turns")
struct DocumentUploadTests {
    let host: MarvinTestHost

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        host.roots = [
            RootAccess(root: .container, granted: false, reason: "iOS refuses it."),
            RootAccess(root: .documents, granted: true),
        ]
    }

    private var claim: URL { host.url("Documents/" + FolderClaim.name) }

    private func documents() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: host.url("Documents").path).sorted()
    }

    @Test("The documents are claimed while books are added, and the claim leaves nothing behind")
    func claiming() throws {
        var atPush = false
        host.before = { [claim] operation, _ in
            if operation == "push" { atPush = FileManager.default.fileExists(atPath: claim.path) }
        }
        #expect(try host.upload([host.item("u-1")]).rows.map(\.outcome) == [.added])
        #expect(atPush)
        #expect(try documents() == ["u-1.epub"])
    }

    @Test("Another host's claim is waited for, and then the upload is busy") func waiting() throws {
        try FileManager.default.createDirectory(at: claim, withIntermediateDirectories: true)
        try Data("7-e15e-1-1".utf8).write(to: claim.appendingPathComponent("owner"))
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error?.status == .busy && rows.map(\.status) == [.busy])
        #expect(host.clock >= .seconds(30))
        #expect(!host.operations.contains { $0.hasPrefix("push") })
    }

    @Test("A file that takes the name after the documents were listed stays as it is")
    func lateFile() throws {
        host.before = { [unowned host] operation, _ in
            guard operation == "free_space" else { return }
            attempt { try Data("somebody's".utf8).write(to: host.url("Documents/u-1.epub")) }
        }
        let (rows, error) = try host.upload([host.item("u-1"), host.item("u-2")])
        #expect(error == nil && rows.map(\.status) == [.alreadyExists, .ok])
        #expect(rows[0].path == nil && rows[0].hint == "Run the same command again.")
        #expect(try Data(contentsOf: host.url("Documents/u-1.epub")) == Data("somebody's".utf8))
    }

    @Test("An upload leaves space for the app") func reserve() throws {
        host.freeBytes = UInt64(ZipFixture.epub("u-1").count) + 1000
        let (rows, _) = try host.upload([host.item("u-1")])
        #expect(rows.map(\.status) == [.noSpace])
        #expect(rows[0].hint == "Free at least 2 MB on the device.")
    }
}
