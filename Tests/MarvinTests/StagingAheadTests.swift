import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("While Marvin works on one batch the files of the next one travel")
struct StagingAheadTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
        host.integers["upload_batch_size"] = 2
    }

    private func items(_ count: Int) throws -> [UploadItem] {
        try (0..<count).map { try host.item("u-\($0)") }
    }

    /// The copied names, `command` for each sent command, and `done` for each removed status.
    private var order: [String] {
        host.operations.compactMap { operation in
            if operation.hasPrefix("push ") { return String(operation.suffix(8).prefix(3)) }
            if operation == "rename /Library/calibre/upload_books.xml" { return "command" }
            return operation == "remove /Library/calibre/status.xml" ? "done" : nil
        }
    }

    /// Weakness 30 in docs/weaknesses.md.
    @Test("The next batch is staged while the app works on the previous one")
    func ahead() throws {
        #expect(try host.upload(items(6)).rows.allSatisfy { $0.outcome == .added })
        #expect(marvin.commands.map(\.fileNames.count) == [2, 2, 2])
        #expect(
            order == [
                "u-0", "u-1", "command", "u-2", "u-3", "done", "command", "u-4", "u-5", "done", "command",
                "done",
            ])
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("If Marvin crashes, no file of the next batch is left") func death() throws {
        marvin.interruption = .dies
        marvin.interruptionAfter = 1
        let (rows, error) = try host.upload(items(4))
        #expect(error?.status == .timedOut)
        #expect(rows.map(\.outcome) == [.added, .failed, .failed, .failed])
        #expect(order.contains("u-3"))
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("Nothing of the next batch stays when a person stops Marvin or the host wants no more rows")
    func stopping() throws {
        marvin.interruption = .cancels
        marvin.interruptionAfter = 1
        #expect(try host.upload(items(4)).rows.map(\.outcome) == [.added, .failed, .failed, .failed])
        #expect(order.contains("u-3"))
        #expect(try marvin.staged() == ["connected.xml"])
        let overlay = try host.overlay()
        let items = try items(6)
        #expect(throws: OverlayError.self) {
            try overlay.uploadBooks(items, options: UploadOptions()) { row throws(OverlayError) in
                if row.outcome == .added { throw OverlayError(.stopped, "Enough.") }
            }
        }
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("A file that could not be copied ahead is copied in its turn, and fails only then")
    func failedCopy() throws {
        var tries: [String: Int] = [:]
        host.fault = { operation, path in
            guard operation == "push" else { return nil }
            tries[path, default: 0] += 1
            if path.contains("u-3") { return .deviceIO }
            return path.contains("u-2") && tries[path] == 1 ? .deviceIO : nil
        }
        let (rows, error) = try host.upload(items(4))
        #expect(error == nil)
        #expect(rows.map(\.status) == [.ok, .ok, .ok, .deviceIO])
        #expect(marvin.commands.map(\.fileNames) == [["u-0.epub", "u-1.epub"], ["u-2.epub"]])
    }

    @Test("Nothing is copied ahead into space that Marvin may need, and everything is copied in its turn")
    func spaceForMarvin() throws {
        let large = { (name: String) in ZipFixture.epub(name + String(repeating: "x", count: 1_000_000)) }
        let items = try (0..<4).map { try host.item("u-\($0)", large("\($0)")) }
        // Space for the batch that Marvin has, for a copy of the same size, and for one more book.
        host.freeBytes = UploadBatch.reserve + 3_500_000
        #expect(try host.upload(items).rows.allSatisfy { $0.outcome == .added })
        #expect(order == ["u-0", "u-1", "command", "u-2", "done", "u-3", "command", "done"])
    }
}
