import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("Two hosts on one Marvin take turns")
struct ClaimTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
    }

    private static let folder = "Library/calibre/.overlayhost-claim"
    /// The claim of another computer.
    private static let other = Array("7-e15e-1-1".utf8)

    /// Writes a claim to the device.
    private func claim(_ owner: [UInt8], secondsAgo: Double = 0) throws {
        let folder = host.url(Self.folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("owner")
        try Data(owner).write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -secondsAgo)], ofItemAtPath: file.path)
    }

    private var isClaimed: Bool { FileManager.default.fileExists(atPath: host.url(Self.folder).path) }

    @Test("A claim lasts as long as the upload or deletion and leaves nothing behind")
    func duration() throws {
        var atPush = false
        host.before = { operation, _ in if operation == "push" { atPush = isClaimed } }
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error == nil && rows.map(\.outcome) == [.added])
        #expect(atPush)
        #expect(try marvin.staged() == ["connected.xml"])
        try host.overlay().deleteBooks(["u-1.epub"]) { #expect($0.outcome == .deleted) }
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("A host waits for another host's claim") func waiting() throws {
        try claim(Self.other)
        host.onWait = { [unowned host, marvin] in
            if host.clock > .seconds(5) {
                #expect(throws: Never.self) {
                    if FileManager.default.fileExists(atPath: host.url(Self.folder).path),
                        try Data(contentsOf: host.url(Self.folder + "/owner")) == Data(Self.other)
                    {
                        try FileManager.default.removeItem(at: host.url(Self.folder))
                    }
                }
            }
            marvin.turn()
        }
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error == nil && rows.map(\.outcome) == [.added])
        #expect(host.clock > .seconds(5))
        #expect(host.progress.contains { $0.phase == "Waiting for another program" })
    }

    @Test("A claim that is held for too long stays, and the error says to try again")
    func heldTooLong() throws {
        try claim(Self.other)
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error?.status == .busy)
        #expect(error?.retryable == true)
        #expect(error?.hint?.isEmpty == false)
        #expect(rows.map(\.status) == [.busy])
        #expect(host.clock >= .seconds(30) && host.clock < .seconds(31))
        #expect(try marvin.staged() == [".overlayhost-claim", "connected.xml"])
        #expect(try Data(contentsOf: host.url(Self.folder + "/owner")) == Data(Self.other))
        #expect(marvin.commands.isEmpty)
    }

    @Test(
        "A claim without a sign of life for a minute expires",
        arguments: [Self.other, Array("rubbish".utf8), []])
    func expiry(owner: [UInt8]) throws {
        try claim(owner, secondsAgo: 90)
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error == nil && rows.map(\.outcome) == [.added])
        #expect(host.clock < .seconds(1))
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("Files that arrive during a claim show that its host is at work") func signsOfLife() throws {
        try claim(Self.other, secondsAgo: 90)
        try Data("half a book".utf8).write(to: host.url("Library/calibre/.u-9.epub.part"))
        #expect(try host.upload([host.item("u-1")]).error?.status == .busy)
        #expect(isClaimed)
    }

    @Test("Partial files of an interrupted command are removed from the staging folder")
    func partialFiles() throws {
        host.ended = ["dead-1"]
        try claim(Array("dead-1".utf8))
        for name in [
            ".overlayhost-00112233445566aa.part", ".overlayhost-00112233445566aa-2.part", ".mine.part",
        ] {
            try Data("half a book".utf8).write(to: host.url("Library/calibre/" + name))
        }
        #expect(try host.upload([host.item("u-1")]).rows.map(\.outcome) == [.added])
        #expect(try marvin.staged() == [".mine.part", "connected.xml"])
    }

    @Test("The claim of a method that has ended delays no other host") func endedMethod() throws {
        host.ended = ["dead-1"]
        try claim(Array("dead-1".utf8))
        #expect(try host.upload([host.item("u-1")]).rows.map(\.outcome) == [.added])
        #expect(!isClaimed)
        #expect(host.clock < .seconds(1))
    }

    @Test("Each claim holds the name that the host gave to the method") func owner() throws {
        var owners: [String] = []
        host.before = { operation, _ in
            guard operation == "push" else { return }
            #expect(throws: Never.self) {
                owners.append(try String(contentsOf: host.url(Self.folder + "/owner"), encoding: .utf8))
            }
        }
        #expect(try host.upload([host.item("u-1")]).error == nil)
        #expect(try host.upload([host.item("u-2")]).error == nil)
        #expect(owners.allSatisfy(host.names.contains))
        #expect(Set(owners).count == 2)
    }

    @Test("Releasing a claim never removes one that another host has made since") func othersClaim() throws {
        host.before = { operation, path in
            guard operation == "rename", path.hasSuffix(".released") else { return }
            #expect(throws: Never.self) { try claim(Self.other) }
        }
        #expect(try host.upload([host.item("u-1")]).error == nil)
        #expect(try Data(contentsOf: host.url(Self.folder + "/owner")) == Data(Self.other))
        #expect(try marvin.staged() == [".overlayhost-claim", "connected.xml"])
    }

    @Test("When an expired claim cannot be removed, the wait ends with the reason") func stuckClaim() throws {
        try claim(Self.other, secondsAgo: 90)
        host.fault = { operation, path in
            operation == "rename" && path.hasSuffix(".expired") ? .deviceIO : nil
        }
        #expect(try host.upload([host.item("u-1")]).error?.status == .deviceIO)
        #expect(host.clock >= .seconds(30) && host.clock < .seconds(31))
        #expect(isClaimed)
    }

    @Test("A time in the future does not count as a sign of life", arguments: [90, -3600] as [Double])
    func timesInTheFuture(claimedAgo: Double) throws {
        try claim(Self.other, secondsAgo: claimedAgo)
        let file = host.url("Library/calibre/.u-9.epub.part")
        try Data("half a book".utf8).write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 3600)], ofItemAtPath: file.path)
        #expect(try host.upload([host.item("u-1")]).error == nil)
        #expect(host.clock < .seconds(1))
        #expect(!isClaimed)
    }

    @Test("A claim dated slightly ahead, by a clock that was corrected since, still counts")
    func clockAhead() throws {
        try claim(Self.other, secondsAgo: -30)
        #expect(try host.upload([host.item("u-1")]).error?.status == .busy)
        #expect(isClaimed)
    }

    @Test("Attempts of other computers are removed once they are older than a claim lasts")
    func attemptsOfOthers() throws {
        let names = (1...3).map {
            ".overlayhost-claim-" + "\(String($0, radix: 16))-e15e-1-1"
        }
        for (name, age) in zip(names, [90, 0, 90] as [Double]) {
            let folder = host.url("Library/calibre/" + name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = name == names[2] ? folder : folder.appendingPathComponent("owner")
            if name != names[2] { try Data("x".utf8).write(to: file) }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file.path)
        }
        #expect(try host.upload([host.item("u-1")]).error == nil)
        #expect(try marvin.staged() == [names[1], "connected.xml"])
    }

    @Test("The claim is renewed while many books are compared, without a request for each of them")
    func renewal() throws {
        host.timePerReport = .seconds(4)
        var requests: [String] = []
        host.before = { [unowned host] operation, path in
            if operation == "push" { requests = host.operations }
        }
        #expect(try host.upload((0..<30).map { try host.item("u-\($0)") }).error == nil)
        let renewals = requests.filter { $0 == "write /\(Self.folder)/owner" }.count
        // Two minutes, and a renewal every quarter of a minute.
        #expect((6...9).contains(renewals))
        #expect(requests.filter { $0.hasSuffix("\(Self.folder)/owner") }.count < 30)
    }

    @Test("A wait for Marvin renews the claim, and ends when the claim is lost")
    func renewalWhileWaiting() throws {
        marvin.answers = false
        try Data("<x/>".utf8).write(to: host.url("Library/calibre/delete_books.xml"))
        host.onWait = { [unowned host] in
            guard host.clock > .seconds(20) else { return }
            #expect(throws: Never.self) { try claim(Self.other) }
        }
        #expect(try host.upload([host.item("u-1")]).error?.status == .busy)
        #expect(host.clock > .seconds(20) && host.clock < .seconds(21))
        #expect(
            host.operations.filter { $0.hasSuffix("overlayhost-claim/owner") && $0.hasPrefix("write") }.count
                == 1)
    }

    @Test("A deletion whose claim was lost is not handed over") func lostBeforeDeletion() throws {
        try marvin.add("old.epub", uuid: "old")
        host.before = { operation, _ in
            guard operation == "list" else { return }
            #expect(throws: Never.self) { try claim(Self.other) }
        }
        var rows: [ItemResult] = []
        let error = #expect(throws: OverlayError.self) {
            try host.overlay().deleteBooks(["old.epub"]) { rows.append($0) }
        }
        #expect(error?.status == .busy)
        #expect(rows.map(\.status) == [.busy])
        #expect(marvin.commands.isEmpty)
        #expect(try marvin.documents() == ["old.epub"])
    }

    @Test("An upload whose claim was lost is not handed over") func lostBeforeUpload() throws {
        host.before = { operation, _ in
            guard operation == "push" else { return }
            #expect(throws: Never.self) { try claim(Self.other) }
        }
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error?.status == .busy)
        #expect(rows.map(\.status) == [.busy])
        #expect(marvin.commands.isEmpty)
        #expect(try !marvin.staged().contains("u-1.epub"))
        #expect(try Data(contentsOf: host.url(Self.folder + "/owner")) == Data(Self.other))
    }

    @Test(
        "An attempt that a lost cable interrupted is removed by the next one, but not that of a running program"
    )
    func interruptedAttempt() throws {
        host.before = { [unowned host] operation, path in
            if operation == "write", path.contains("claim") { host.isGone = true }
        }
        #expect(try host.upload([host.item("u-1")]).error?.status == .deviceGone)
        #expect(try marvin.staged().count == 2)
        (host.isGone, host.before) = (false, { _, _ in })
        host.ended = Set(host.names)
        let live = "Library/calibre/.overlayhost-claim-" + "7-e15e-1-1"
        try FileManager.default.createDirectory(at: host.url(live), withIntermediateDirectories: true)
        #expect(try host.upload([host.item("u-1")]).error == nil)
        #expect(try marvin.staged() == [".overlayhost-claim-7-e15e-1-1", "connected.xml"])
    }

    @Test("Marvin finishes the command of a program that makes no claims") func foreignCommand() throws {
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

    @Test("An upload is busy while Marvin does not finish another program's command")
    func unfinishedCommand() throws {
        marvin.answers = false
        try Data("<x/>".utf8).write(to: host.url("Library/calibre/delete_books.xml"))
        let (_, error) = try host.upload([host.item("u-1")])
        #expect(error?.status == .busy && error?.retryable == true)
        #expect(try marvin.staged() == ["connected.xml", "delete_books.xml"])
        #expect(!host.operations.contains { $0.hasPrefix("push") })
    }

    /// Puts another program's command from this many seconds ago into the staging folder.
    private func command(_ name: String = "delete_books.xml", secondsAgo: Double) throws {
        let file = host.url("Library/calibre/" + name)
        try Data("<x/>".utf8).write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -secondsAgo)], ofItemAtPath: file.path)
    }

    @Test(
        "A command that Marvin ignores is set aside after its time, with a warning, and nothing of it is lost"
    )
    func ignoredCommand() throws {
        marvin.ignored = ["delete_books.xml"]
        try Data("an earlier one".utf8).write(to: host.url("Library/calibre/delete_books.xml.set-aside"))
        try command(secondsAgo: 90)
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error == nil && rows.map(\.outcome) == [.added])
        #expect(host.clock >= .seconds(15) && host.clock < .seconds(20))
        #expect(
            try marvin.staged() == [
                "connected.xml", "delete_books.xml.set-aside", "delete_books.xml.set-aside-2",
            ])
        #expect(
            try Data(contentsOf: host.url("Library/calibre/delete_books.xml.set-aside-2"))
                == Data("<x/>".utf8))
        #expect(host.warnings.count { $0.contains("delete_books.xml.set-aside-2") } == 1)
    }

    @Test("A command that disappears just before it is set aside causes no delay")
    func vanishingCommand() throws {
        marvin.ignored = ["delete_books.xml"]
        try command(secondsAgo: 90)
        host.before = { [unowned host] operation, path in
            guard operation == "rename", path.hasSuffix(".set-aside") else { return }
            #expect(throws: Never.self) {
                try FileManager.default.removeItem(at: host.url("Library/calibre/delete_books.xml"))
            }
        }
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error == nil && rows.map(\.outcome) == [.added])
        #expect(try marvin.staged() == ["connected.xml"])
        #expect(host.warnings.isEmpty)
    }

    @Test("A listing names an ignored command and leaves it in place")
    func listingNamesIgnoredCommand() throws {
        marvin.answers = false
        try command(secondsAgo: 30)
        try host.overlay().books(BooksOptions()) { _ in }
        #expect(host.warnings.isEmpty)
        try command(secondsAgo: 90)
        try command("command.xml", secondsAgo: 90)
        try host.overlay().books(BooksOptions()) { _ in }
        #expect(host.warnings.count { $0.contains("delete_books.xml") } == 1)
        #expect(!host.warnings.contains { $0.contains("command.xml") })
        #expect(try marvin.staged() == ["command.xml", "connected.xml", "delete_books.xml"])
    }
}
