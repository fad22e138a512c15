import Claims
import OverlayKit
import OverlayKitTesting
import Testing

@Suite("Only one program at a time has the claim on a folder")
struct FolderClaimTests {
    private let host = MemoryHost()
    private let folder = "/Documents/" + FolderClaim.name

    /// On a device whose clock runs at the speed of the programs' clock.
    init() { host.tick = 1_000_000 }

    /// The place as the running method sees it.
    private func place(
        patience: Duration = .seconds(30), activity: @escaping () throws(OverlayError) -> [String] = { [] }
    ) throws -> ClaimPlace {
        ClaimPlace(
            host: try host.services(), root: .documents, folder: "/Documents", name: "Nova",
            patience: patience,
            now: { [host] in .nanoseconds(host.waited) }, activity: activity)
    }

    /// Creates the claim of another program on the device, last renewed this many seconds ago.
    private func otherClaim(by owner: String = "7-e15e-1-1", secondsAgo: Int64 = 0) {
        host.folders.insert(folder)
        host.files[folder + "/owner"] = .init(
            bytes: Array(owner.utf8), modified: host.now - secondsAgo * 1_000_000_000, created: 0)
    }

    private var owner: String? {
        host.files[folder + "/owner"].map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("A free folder is claimed at once, and nothing of the claim is left after its release")
    func takenAndReleased() throws {
        let claim = try FolderClaim.take(place())
        #expect(owner == host.names.last)
        #expect(host.waited == 0)
        // Make the folder; open, write, close, look at and rename the file; rename the folder; open, read, close.
        #expect(host.requests == 10)
        claim.release()
        #expect(owner == nil)
        #expect(!host.folders.contains { $0.contains("claim") })
        // Rename the folder; open, read, close; remove.
        #expect(host.requests == 15)
    }

    @Test("A claim that may have expired is checked before its release, and another program's stays in place")
    func releasedLate() throws {
        let claim = try FolderClaim.take(place())
        otherClaim()
        host.waited += 61_000_000_000
        var changes = 0
        host.claimChanged = { _ in changes += 1 }
        claim.release()
        #expect(changes == 0)
        #expect(owner == "7-e15e-1-1")
    }

    @Test("Another program's claim that is found at the release is put back")
    func foundAtRelease() throws {
        let claim = try FolderClaim.take(place())
        otherClaim()
        claim.release()
        #expect(owner == "7-e15e-1-1")
        #expect(host.folders.filter { $0.contains("claim") } == [folder])
    }

    @Test("An owner whose text begins like the expected one is another owner", arguments: [true, false])
    func similarOwner(isCutShort: Bool) throws {
        let claim = try FolderClaim.take(place())
        let own = try #require(owner)
        otherClaim(by: own + "0")
        if isCutShort { host.longestAnswer = UInt64(own.utf8.count) - 1 }
        #expect(try #require(throws: OverlayError.self) { try claim.renew() }.status == .busy)
        otherClaim(by: own)
        try claim.renew()
    }

    @Test("Another program's claim is waited for, and still respected when the wait ends")
    func busy() throws {
        otherClaim()
        let error = try #require(throws: OverlayError.self) {
            try FolderClaim.take(place(patience: .seconds(3)))
        }
        #expect(error.status == .busy && error.retryable)
        #expect(error.message == "Another program is using Nova.")
        #expect(host.waited >= 3_000_000_000)
        #expect(owner == "7-e15e-1-1")
        #expect(host.folders.filter { $0.contains("claim") } == [folder])
    }

    @Test(
        "A claim that nothing has changed for a minute is taken over", arguments: [(59, false), (90, true)])
    func expired(secondsAgo: Int64, isTaken: Bool) throws {
        otherClaim(secondsAgo: secondsAgo)
        let claim = try? FolderClaim.take(place(patience: .zero))
        #expect((claim != nil) == isTaken)
        #expect((owner == host.names.last) == isTaken)
    }

    @Test("The claim of a method that has ended is taken over, however new it is")
    func ended() throws {
        host.ended = ["call-of-before"]
        otherClaim(by: "call-of-before")
        _ = try FolderClaim.take(place(patience: .zero))
        #expect(owner == host.names.last)
    }

    @Test("The holder learns that another program has its claim, and leaves that one alone")
    func lost() throws {
        let claim = try FolderClaim.take(place())
        otherClaim()
        #expect(try #require(throws: OverlayError.self) { try claim.renew() }.status == .busy)
        claim.release()
        #expect(owner == "7-e15e-1-1")
    }

    @Test(
        "One error during the release leaves nothing of the claim, and is not mentioned",
        arguments: ["read_many", "rename", "remove"], [OverlayStatus.accessRefused, .deviceIO, .noSpace])
    func releasedAfterError(operation: String, status: OverlayStatus) throws {
        let claim = try FolderClaim.take(place())
        var failures = 0
        host.claimFault = { asked in
            guard asked == operation, failures == 0 else { return nil }
            failures += 1
            return status
        }
        claim.release()
        #expect(failures == 1)
        #expect(!host.folders.contains { $0.contains("claim") })
        #expect(host.warnings.isEmpty)
    }

    @Test(
        "A claim that cannot be removed is named in one warning",
        arguments: [("read_many", FolderClaim.name), ("rename", FolderClaim.name), ("remove", ".released")])
    func unreleasable(operation: String, name: String) throws {
        let claim = try FolderClaim.take(place())
        host.claimFault = { $0 == operation ? .accessRefused : nil }
        claim.release()
        #expect(host.warnings.count == 1, "\(host.warnings)")
        #expect(host.warnings.first?.contains("/Documents/") == true)
        #expect(host.warnings.first?.contains(name) == true)
        // If it is unknown whose claim it is, it stays where it was.
        #expect((owner == nil) == (operation == "remove"))
    }

    @Test("A claim asks nothing of the device until it is time to show that it is in use")
    func kept() throws {
        let claim = try FolderClaim.take(place())
        let made = host.files[folder + "/owner"]?.modified
        var questions = 0
        host.claimFault = { _ in
            questions += 1
            return nil
        }
        host.waited += 14_000_000_000
        try claim.keep()
        #expect(questions == 0)
        host.waited += 1_000_000_000
        try claim.keep()
        #expect(questions > 0)
        #expect(host.files[folder + "/owner"]?.modified != made)
    }

    @Test(
        "Partial files are those with hexadecimal digits between the host's beginning and end",
        arguments: [
            (".overlayhost-0123456789abcdef.part", true), (".overlayhost-01234567-89ab-cdef.part", true),
            (".overlayhost-0123456789abcde.part", false), (".overlayhost-0123456789ABCDEF.part", false),
            (".overlayhost-0123456789abcdef.epub", false), ("overlayhost-0123456789abcdef.part", false),
        ])
    func partialNames(name: String, isPartial: Bool) {
        #expect(PartialFile.hasName(name) == isPartial)
    }
}
