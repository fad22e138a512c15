import OverlayABI
import Testing

@testable import OverlayHost

@Suite("If a large share of a source seems to be gone, a sync removes nothing until the number is confirmed")
struct HeldRemovalTests {
    private let folder: SyncedFolder

    init() throws { folder = try SyncedFolder(books: 24) }

    @Test("The rows of the removals fail, in the sync as in a dry run and in diff")
    func share() throws {
        try folder.remove(11..<34)
        let session = try folder.environment.session()
        defer { session.close() }
        let message = "The sync would remove 23 of 24 books that came from this source."
        var request = SyncRequest(source: folder.path, deletes: true, isDryRun: true)
        for listsOthers in [false, true] {
            request.listsOthers = listsOthers
            let plan = try session.sync(request).plan
            #expect(plan.count == 24 && plan.count { $0.action == .remove && $0.fails } == 23)
            #expect(plan.last?.reason?.hasPrefix(message) == true)
            #expect(plan.last?.reason?.contains(" To remove the books, use --max-delete 23,") == true)
        }
        request = SyncRequest(source: folder.path, deletes: true)
        let held = try #require(try session.sync(request).results)
        #expect(held.exitStatus == .someFailed)
        #expect(held.rows.compactMap(\.path) == Array(folder.shelf.dropFirst()))
        #expect(held.rows.allSatisfy { $0.message == message })
        #expect(held.rows.allSatisfy { $0.code == .needsConsent && $0.hintCode == .consent })
        #expect(folder.shelf.count == 24)
        request.mostRemovals = 23
        let removed = try #require(try session.sync(request).results)
        #expect(removed.rows.map(\.status) == Array(repeating: .deleted, count: 23))
        #expect(folder.shelf == ["/10.epub"])
    }

    @Test("An emptied source stops the sync until its removals are confirmed")
    func emptied() throws {
        try folder.remove(10..<34)
        let session = try folder.environment.session()
        defer { session.close() }
        var request = SyncRequest(source: folder.path, deletes: true)
        let error = hostError { () throws(HostError) in _ = try session.sync(request) }
        #expect(error?.code == .inputUnreadable)
        #expect(error?.hint?.contains(" To remove the books, use --max-delete 24,") == true)
        // Nothing is removed without `deletes`, so that nothing is lost.
        (request.deletes, request.mayLoseMarks) = (false, true)
        #expect(try session.sync(request).results?.rows.isEmpty == true)
        (request.deletes, request.mayLoseMarks, request.mostRemovals) = (true, false, 24)
        #expect(
            try session.sync(request).results?.rows.map(\.status) == Array(repeating: .deleted, count: 24))
        #expect(folder.shelf.isEmpty)
    }

    @Test("An overlay that syncs both ways limits deletions itself")
    func bothWays() throws {
        folder.environment.fake.syncSource = { _, _, _, _ in OVL_OK }
        let session = try folder.environment.session()
        defer { session.close() }
        let request = SyncRequest(source: folder.path, deletes: true, mostRemovals: 7)
        let error = hostError { () throws(HostError) in _ = try session.sync(request) }
        #expect(error?.code == .notSupported && error?.hint == "Leave out --max-delete.")
    }
}
