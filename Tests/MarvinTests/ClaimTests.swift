import CommandProtocol
import Foundation
import OverlayKit
import Testing

@testable import Marvin

extension ClaimOwner {
    /// What stands in a claim.
    fileprivate var bytes: [UInt8] { Array(text.utf8) }
}

@Suite("Two hosts on one Marvin take turns")
struct ClaimTests {
    let host: FakeHost
    let marvin: FakeMarvin

    init() throws {
        host = try FakeHost()
        marvin = try FakeMarvin(host)
    }

    private static let folder = "Library/calibre/.overlayhost-claim"
    /// Another computer's.
    private static let other = ClaimOwner(token: 7, host: 0xE15E, process: 1, began: 1)

    /// Puts a claim onto the device.
    private func claim(_ owner: [UInt8], secondsAgo: Double = 0) throws {
        let folder = host.url(Self.folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("owner")
        try Data(owner).write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -secondsAgo)], ofItemAtPath: file.path)
    }

    private var isClaimed: Bool { FileManager.default.fileExists(atPath: host.url(Self.folder).path) }

    @Test func `a claim lasts as long as the upload or deletion, and nothing of it stays`() throws {
        var atPush = false
        host.before = { operation, _ in if operation == "push" { atPush = isClaimed } }
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error == nil && rows.map(\.outcome) == [.added])
        #expect(atPush)
        #expect(try marvin.staged() == ["connected.xml"])
        try host.overlay().deleteBooks(["u-1.epub"]) { #expect($0.outcome == .deleted) }
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test func `another host's claim is waited for`() throws {
        try claim(Self.other.bytes)
        host.onWait = { [unowned host, marvin] in
            if host.now > .seconds(5) {
                #expect(throws: Never.self) {
                    if FileManager.default.fileExists(atPath: host.url(Self.folder).path),
                        try Data(contentsOf: host.url(Self.folder + "/owner")) == Data(Self.other.bytes)
                    {
                        try FileManager.default.removeItem(at: host.url(Self.folder))
                    }
                }
            }
            marvin.turn()
        }
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error == nil && rows.map(\.outcome) == [.added])
        #expect(host.now > .seconds(5))
        #expect(host.progress.contains { $0.phase == "Waiting for another program" })
    }

    @Test func `one that is held for long is an error to try again, and stays as it is`() throws {
        try claim(Self.other.bytes)
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error?.status == .busy)
        #expect(error?.retryable == true)
        #expect(error?.hint?.isEmpty == false)
        #expect(rows.map(\.status) == [.busy])
        #expect(host.now >= .seconds(30) && host.now < .seconds(31))
        #expect(try marvin.staged() == [".overlayhost-claim", "connected.xml"])
        #expect(try Data(contentsOf: host.url(Self.folder + "/owner")) == Data(Self.other.bytes))
        #expect(marvin.commands.isEmpty)
    }

    @Test(arguments: [Self.other.bytes, Array("rubbish".utf8), []])
    func `one that nobody has shown to be alive for a minute expires`(owner: [UInt8]) throws {
        try claim(owner, secondsAgo: 90)
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error == nil && rows.map(\.outcome) == [.added])
        #expect(host.now < .seconds(1))
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test func `files that come while it is held show that its host is at work`() throws {
        try claim(Self.other.bytes, secondsAgo: 90)
        try Data("half a book".utf8).write(to: host.url("Library/calibre/.u-9.epub.part"))
        #expect(try host.upload([host.item("u-1")]).error?.status == .busy)
        #expect(isClaimed)
    }

    @Test func `a program of this computer that has ended holds nobody up`() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/true")
        try process.run()
        process.waitUntilExit()
        let own = ClaimOwner()
        for dead in [
            ClaimOwner(token: 8, host: own.host, process: process.processIdentifier, began: 5),
            // A later process of the same number, and an instance of this process that is no more.
            ClaimOwner(token: 8, host: own.host, process: getppid(), began: 5), own,
        ] {
            try claim(dead.bytes)
            #expect(try !host.upload([host.item("u-\(dead.process)")]).rows.contains { $0.status != .ok })
            #expect(!isClaimed)
        }
        #expect(host.now < .seconds(1))
    }

    @Test func `a program of this computer that is at work is waited for`() throws {
        let owner = ClaimOwner()
        owner.setInUse(true)
        defer { owner.setInUse(false) }
        #expect(ClaimOwner(owner.text) == owner)
        try claim(owner.bytes)
        #expect(try host.upload([host.item("u-1")]).error?.status == .busy)
    }

    @Test func `a claim that was lost meanwhile hands nothing over`() throws {
        host.before = { operation, _ in
            guard operation == "push" else { return }
            #expect(throws: Never.self) { try claim(Self.other.bytes) }
        }
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error?.status == .busy)
        #expect(rows.map(\.status) == [.busy])
        #expect(marvin.commands.isEmpty)
        #expect(try !marvin.staged().contains("u-1.epub"))
        #expect(try Data(contentsOf: host.url(Self.folder + "/owner")) == Data(Self.other.bytes))
    }

    @Test
    func `an attempt that a lost cable cut short is cleared away by the next, one of a live program is not`()
        throws
    {
        host.before = { [unowned host] operation, path in
            if operation == "write", path.contains("claim") { host.isGone = true }
        }
        #expect(try host.upload([host.item("u-1")]).error?.status == .deviceGone)
        #expect(try marvin.staged().count == 2)
        (host.isGone, host.before) = (false, { _, _ in })
        let live = "Library/calibre/.overlayhost-claim-" + Self.other.text
        try FileManager.default.createDirectory(at: host.url(live), withIntermediateDirectories: true)
        #expect(try host.upload([host.item("u-1")]).error == nil)
        #expect(try marvin.staged() == [".overlayhost-claim-\(Self.other.text)", "connected.xml"])
    }

    @Test func `a command of a program without claims is Marvin's to finish`() throws {
        let foreign = DeleteBooks(
            timestamp: CommandTimestamp(seconds: 1),
            books: [DeleteBooks.Book(author: "", title: "", uuid: "", fileName: "old.epub")])
        try marvin.add("old.epub", uuid: "old")
        try Data(foreign.encoded()).write(to: host.url("Library/calibre/delete_books.xml"))
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error == nil && rows.map(\.outcome) == [.added])
        #expect(marvin.commands.map(\.name) == [.deleteBooks, .uploadBooks])
        #expect(try marvin.documents() == ["u-1.epub"])
        #expect(!host.operations.contains("remove /Library/calibre/delete_books.xml"))
    }

    @Test func `one that Marvin does not finish makes it busy`() throws {
        marvin.answers = false
        try Data("<x/>".utf8).write(to: host.url("Library/calibre/delete_books.xml"))
        let (_, error) = try host.upload([host.item("u-1")])
        #expect(error?.status == .busy && error?.retryable == true)
        #expect(try marvin.staged() == ["connected.xml", "delete_books.xml"])
        #expect(!host.operations.contains { $0.hasPrefix("push") })
    }
}
