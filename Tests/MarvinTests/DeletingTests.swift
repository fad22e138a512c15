import OverlayKitTesting
import Claims
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("A deletion is one command, and done when the book is gone")
struct DeletingTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
        for number in 1...3 {
            try marvin.add("\(number).epub", uuid: "u-\(number)", title: "Title \(number)", author: "Ann, Bo")
        }
    }

    private func delete(_ paths: [String]) throws -> [ItemResult] {
        var rows: [ItemResult] = []
        try host.overlay().deleteBooks(paths) { rows.append($0) }
        rows.sort { $0.index < $1.index }
        #expect(rows.map(\.index) == Array(paths.indices))
        return rows
    }

    @Test("All books are deleted with one command that names them fully") func oneCommand() throws {
        let rows = try delete(["3.epub", "1.epub"])
        #expect(rows.map(\.outcome) == [.deleted, .deleted])
        #expect(rows.map(\.path) == [nil, nil])
        #expect(try marvin.documents() == ["2.epub"])
        #expect(marvin.commands.count == 1)
        guard case .deleteBooks(let command)? = marvin.commands.first else {
            Issue.record("no deletion")
            return
        }
        #expect(
            command.books == [
                DeleteBooks.Book(author: "Ann, Bo", title: "Title 3", uuid: "u-3", fileName: "3.epub"),
                DeleteBooks.Book(author: "Ann, Bo", title: "Title 1", uuid: "u-1", fileName: "1.epub"),
            ])
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("An unknown path fails alone, without a command to Marvin") func unknownPath() throws {
        #expect(try delete(["zzz", "1.epub", "../2.epub"]).map(\.status) == [.notFound, .ok, .notFound])
        #expect(try delete(["zzz"]).map(\.status) == [.notFound])
        #expect(marvin.commands.count == 1)
        #expect(marvin.commands.first?.fileNames == ["1.epub"])
    }

    @Test(
        "A deletion without an existing book removes what an interrupted command left, and says so",
        arguments: [["gone.epub"], []])
    func leftovers(
        paths: [String]
    ) throws {
        host.ended = ["dead-1"]
        let folder = host.url("Library/calibre/" + FolderClaim.name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("dead-1".utf8).write(to: folder.appendingPathComponent("owner"))
        try Data("<status>".utf8).write(to: host.url("Library/calibre/status.xml"))
        #expect(try delete(paths).map(\.status) == paths.map { _ in .notFound })
        #expect(try marvin.staged() == ["connected.xml"])
        #expect(host.warnings.contains { $0.contains("status.xml") })
        #expect(host.warnings.contains { $0.contains("claim") })
        #expect(marvin.commands.isEmpty)
    }

    @Test("A path given twice is sent once and has two rows") func repeatedPath() throws {
        #expect(try delete(["1.epub", "1.epub"]).map(\.outcome) == [.deleted, .deleted])
        #expect(marvin.commands.first?.fileNames == ["1.epub"])
    }

    @Test("A book without a file can be deleted") func withoutFile() throws {
        unlink(host.url("Documents/1.epub").path)
        #expect(try delete(["1.epub"]).map(\.outcome) == [.deleted])
    }

    @Test("A deletion that Marvin reports but did not do is a failure") func falseClaim() throws {
        marvin.isHonest = false
        let rows = try delete(["1.epub"])
        #expect(rows.map(\.status) == [.verificationFailed])
        #expect(rows[0].path == "1.epub")
    }

    @Test("A command without an answer is withdrawn, and a book without a file does not count as deleted")
    func noAnswer() throws {
        marvin.answers = false
        unlink(host.url("Documents/1.epub").path)
        var rows: [ItemResult] = []
        let overlay = try host.overlay()
        let error = try #require(throws: OverlayError.self) {
            try overlay.deleteBooks(["1.epub", "2.epub"]) { rows.append($0) }
        }
        #expect(error.status == .timedOut && error.retryable)
        #expect(rows.map(\.status) == [.timedOut, .timedOut])
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("A deletion that Marvin finished before it died counts as done") func deathAfterWork() throws {
        marvin.deletesCommand = false
        #expect(try delete(["1.epub"]).map(\.outcome) == [.deleted])
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("A Marvin that goes offline after the last book has deleted it") func offlineAfterWork() throws {
        marvin.interruption = .offline
        marvin.interruptionAfter = 1
        #expect(try delete(["1.epub"]).map(\.outcome) == [.deleted])
    }

    @Test("Books that Marvin deleted before it died without reporting it count as deleted")
    func deathBeforeReport() throws {
        marvin.interruption = .dies
        marvin.interruptionAfter = 2
        let rows = try delete(["1.epub", "3.epub"])
        #expect(rows.map(\.status) == [.ok, .ok])
        #expect(
            rows.allSatisfy {
                $0.message == "The book was deleted, although Marvin did not finish the command."
            })
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("If a person stops the command on the device, the other books stay, and the host goes on")
    func stoppedOnDevice() throws {
        marvin.interruption = .cancels
        marvin.interruptionAfter = 1
        let rows = try delete(["1.epub", "2.epub"])
        #expect(rows.map(\.status) == [.ok, .rejected])
        #expect(rows[1].message == "The command was cancelled on the device.")
        #expect(rows[1].path == "2.epub" && rows[1].hint != nil)
    }

    @Test("A message of Marvin without a book is in the rows") func generalMessage() throws {
        marvin.messages = ["The library is nearly full."]
        #expect(try delete(["1.epub"]).map(\.message) == ["Marvin reports: 'The library is nearly full.'"])
    }

    @Test("A deletion that Marvin rejects for a book without a file counts as not done")
    func rejectedWithoutFile() throws {
        unlink(host.url("Documents/1.epub").path)
        marvin.rejections = ["1.epub": "the book is locked"]
        let rows = try delete(["1.epub"])
        #expect(rows.map(\.status) == [.rejected])
        #expect(rows[0].message == "Marvin rejected the deletion: 'the book is locked'")
    }

    @Test("The row of a path that has disappeared says so") func vanishedPath() throws {
        _ = try delete(["1.epub"])
        #expect(try delete(["1.epub"])[0].message == "Marvin has no book with this path.")
    }

    @Test("The overlay decides what to delete while it holds the claim") func decidedUnderClaim() throws {
        var isDone = false
        host.before = { [unowned marvin] operation, path in
            guard operation == "rename", path.hasSuffix(FolderClaim.name), !isDone else { return }
            isDone = true
            // Another program was working until now.
            attempt { try marvin.add("twin.epub", uuid: "u-1") }
        }
        #expect(try delete(["1.epub"]).map(\.outcome) == [.deleted])
        guard case .deleteBooks(let command)? = marvin.commands.first else {
            Issue.record("no deletion")
            return
        }
        #expect(isDone && command.books.map(\.uuid) == [""])
        #expect(try marvin.documents() == ["2.epub", "3.epub", "twin.epub"])
    }

    @Test("A book without a file counts as deleted only when it is gone from the library")
    func goneFromLibrary() throws {
        unlink(host.url("Documents/1.epub").path)
        marvin.isHonest = false
        #expect(try delete(["1.epub"]).map(\.status) == [.verificationFailed])
    }

    /// Weakness 24 in docs/weaknesses.md.
    @Test(
        "Deleting many books sends no request for each of them, and reads the library before and after"
    )
    func deletingMany() throws {
        let paths = (10..<110).map { "\($0).epub" }
        for path in paths { try marvin.add(path, uuid: path) }
        host.resetCounts()
        #expect(try delete(paths).allSatisfy { $0.outcome == .deleted })
        #expect(marvin.commands.map(\.name) == [.deleteBooks])
        #expect(host.operations.filter { $0 == "read /Library/mainDb.sqlite" }.count == 2)
        #expect(!host.operations.contains { $0.hasPrefix("stat /Documents") })
        let polls = host.operations.filter { $0.hasSuffix("/status.xml") || $0.hasSuffix("/connected.xml") }
        // The app takes a turn for each book, and each turn costs a look at its status.
        #expect(host.operations.count - polls.count < 60, "\(host.operations.count) \(polls.count)")
    }

    @Test(
        "The error on a full device is one sentence, without the name of the file that did not fit",
        arguments: [".overlayhost-claim", "delete_books"])
    func fullDevice(file: String) throws {
        host.fault = { operation, path in
            operation == "write" && path.contains("/Library/calibre/\(file)") ? .noSpace : nil
        }
        var rows: [ItemResult] = []
        let overlay = try host.overlay()
        let error = try #require(throws: OverlayError.self) {
            try overlay.deleteBooks(["1.epub"]) { rows.append($0) }
        }
        #expect(error.status == .noSpace && error.subject == nil)
        #expect(error.message == "The device has no space left for a command to Marvin.")
        #expect(rows.map(\.status) == [.noSpace])
        for text in [rows[0].message, rows[0].hint, error.hint] {
            #expect(text?.contains("overlayhost-claim") == false && text?.contains("xml") == false)
        }
        #expect(rows[0].message?.components(separatedBy: "The device has no space left").count == 2)
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("Without paths no command is sent") func noPaths() throws {
        #expect(try delete([]).isEmpty)
        #expect(marvin.commands.isEmpty)
        #expect(try marvin.staged() == ["connected.xml"])
    }
}
