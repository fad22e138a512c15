import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayKit
import SimulatedDevice
import TestSupport
import Testing

@testable import Marvin

@Suite("The companion's commands reach Marvin, and its answers come back")
struct PerformingTests {
    let host: MarvinTestHost
    let container: MarvinContainer
    let name: String

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        host.waitsForReal = true
        container = MarvinContainer(folder: host.container)
        name = try #require(try MarvinLibrary(container).populateSynthetic(count: 3, coverBytes: 100).first)
    }

    private func perform(
        _ command: String, _ parameters: [(String, String)] = [], _ paths: [String] = [],
        by overlay: MarvinOverlay? = nil
    ) throws -> String {
        var bytes: [UInt8] = []
        try (overlay ?? host.overlay()).perform(command, parameters: parameters, paths: paths) {
            chunk, offset, total in
            #expect(offset == UInt64(bytes.count) && total != nil)
            bytes += Array(chunk)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func book() throws -> Book {
        var books: [Book] = []
        try host.overlay().books(BooksOptions()) { books.append($0) }
        return try #require(books.first { $0.path == name })
    }

    private func withMarvin(
        _ behaviour: MarvinBehaviour = MarvinBehaviour(), _ body: (SimulatedMarvin) throws -> Void
    ) throws {
        let marvin = SimulatedMarvin(container: container, behaviour: behaviour)
        try marvin.start()
        defer { marvin.stop() }
        try body(marvin)
        let left = try FileManager.default.contentsOfDirectory(atPath: container.staging.path)
        #expect(Set(left).isSubset(of: ["connected.xml"]), "\(left)")
    }

    @Test("Books are locked and unlocked") func locking() throws {
        try withMarvin { _ in
            #expect(try perform("LockBooks", [], [name]) == "")
            #expect(try book().isLocked == true)
            _ = try perform("unlockbooks", [], [name])
            #expect(try book().isLocked == false)
        }
    }

    @Test("A partial update leaves everything else unchanged") func partialUpdate() throws {
        try withMarvin { _ in
            let before = try book()
            _ = try perform(
                "update_metadata_items",
                [("rating", "3.5"), ("wordcount", "77"), ("collection", "A & B"), ("collection", "READ")],
                [name])
            let after = try book()
            #expect(after.rating == 3.5 && after.wordCount == 77 && after.collections == ["A & B", "READ"])
            #expect(after.title == before.title && after.tags == before.tags)
        }
    }

    @Test("A collection is renamed everywhere") func renamingCollection() throws {
        try withMarvin { _ in
            _ = try perform(
                "UpdateGlobalCollections",
                [("action", "rename"), ("name", "Shelf 0"), ("newname", "Top \"0\"")])
            #expect(try book().collections == ["Top \"0\""])
        }
    }

    @Test(
        "Pages are answered as HTML, and leave nothing behind",
        arguments: ["GetDeepViewArticlesHTML", "GetLocalVocabularyHTML", "GetGlobalVocabularyHTML"])
    func pages(command: String) throws {
        try withMarvin { _ in
            try Data("stale".utf8).write(to: container.staging.appendingPathComponent("html_response.html"))
            let page = try perform(command, [], [name])
            #expect(page.contains("<title>\(command)</title>"))
        }
    }

    @Test("The first places of a name are found by the book's own key") func firstPlaces() throws {
        try withMarvin { _ in
            let page = try perform("GetFirstOccurrenceHTML", [("entityID", "9"), ("hits", "2")], [name])
            #expect(page.contains("Entity 9, hit 2"))
        }
    }

    @Test("A backup is answered as its bytes and stays among the documents") func backup() throws {
        try withMarvin { _ in
            let backup = try perform("backup")
            #expect(backup.hasPrefix("SQLite format 3"))
            #expect(
                FileManager.default.fileExists(
                    atPath: container.documents.appendingPathComponent("Backup/marvin.backup").path))
            let manifest = try perform("BACKUPMANIFEST")
            #expect(manifest.contains(name))
        }
    }

    @Test("Deep View is prepared, and stops when the host is cancelled") func deepView() throws {
        try withMarvin { marvin in
            _ = try perform("GenerateDeepView", [], [name])
            marvin.update { $0.timePerBook = .seconds(3600) }
            host.grace = .max
            host.before = { [unowned host] operation, path in
                // The command has been taken as soon as there is a status.
                if operation == "read_many", path.hasSuffix("status.xml"),
                    FileManager.default.fileExists(atPath: host.url(path).path)
                {
                    host.isCancelled = true
                }
            }
            let overlay = try host.overlay()
            overlay.timing.cancelGrace = .seconds(60)
            let error = try #require(throws: OverlayError.self) {
                try perform("GenerateDeepView", [], [name], by: overlay)
            }
            #expect(error.status == .cancelled)
            host.isCancelled = false
            host.before = { _, _ in }
            marvin.update { $0.timePerBook = .zero }
        }
    }

    @Test("The error for what Marvin does not know or accept has Marvin's own words")
    func unknownCommands() throws {
        try withMarvin { _ in
            var error = try #require(throws: OverlayError.self) { try perform("Dance") }
            #expect(error.status == .notSupported && error.hint?.contains("LockBooks") == true)
            error = try #require(throws: OverlayError.self) {
                try perform("UpdateGlobalCollections", [("action", "delete"), ("name", "no such")])
            }
            #expect(error.status == .rejected && error.message.contains("no such"))
        }
    }

    @Test(
        "A command without a required parameter is not sent",
        arguments: [
            ("LockBooks", []), ("UpdateGlobalCollections", []), ("GetFirstOccurrenceHTML", [("hits", "1")]),
            ("update_metadata_items", [("rating", "4")]),
        ] as [(String, [(String, String)])])
    func incompleteCommand(command: String, parameters: [(String, String)]) throws {
        try withMarvin { _ in
            let error = try #require(throws: OverlayError.self) { try perform(command, parameters) }
            #expect(error.status == .invalidArgument)
        }
    }

    @Test(
        "A parameter without meaning is refused",
        arguments: [("rating", "9"), ("wordcount", "-1"), ("cover", "???"), ("colour", "red")])
    func unknownParameter(parameter: (String, String)) throws {
        try withMarvin { _ in
            let error = try #require(throws: OverlayError.self) {
                try perform("update_metadata_items", [parameter], [name])
            }
            #expect(error.status == .invalidArgument)
        }
    }

    @Test("An answer that Marvin reports but did not give is noticed") func missingAnswer() throws {
        let host = try MarvinTestHost(TemporaryFolder())
        let marvin = try FakeMarvin(host)
        var pieces = 0
        let overlay = try host.overlay()
        let error = try #require(throws: OverlayError.self) {
            try overlay.perform("GetGlobalVocabularyHTML", parameters: [], paths: []) { _, _, _ in pieces += 1
            }
        }
        #expect(error.status == .protocolError && pieces == 0)
        #expect(marvin.commands.count == 1)
    }
}
