import DeviceTransport
import Foundation
import Libraries
import OverlayABI
import OverlayBridge
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("If a large share of a source seems to be gone, a sync removes nothing until the number is confirmed")
struct HeldRemovalTests {
    /// The paths of the books on the device.
    private final class Shelf {
        var paths = (0..<8).map { "/\($0).epub" }
    }

    private let environment: FakeEnvironment
    private let shelf = Shelf()
    private let source: String

    /// An app with eight books that came from a folder, in which only the first one is left.
    init() throws {
        environment = try FakeEnvironment()
        environment.fake.books = { [shelf] _, sink, _ in
            for path in shelf.paths where sink.put(BookRecord(path: path)) != OVL_OK { return OVL_STOPPED }
            return OVL_OK
        }
        environment.fake.delete = { [shelf] paths, results, _ in
            for index in 0..<paths.pointee.count {
                guard let path = paths.pointee.items?[Int(index)].readMessage() else { return OVL_FAILED }
                shelf.paths.removeAll { $0 == path }
                results.put(index, OVL_OUTCOME_DELETED)
            }
            return OVL_OK
        }
        source = environment.folder.path("source")
        try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: false)
        let (device, app) = (environment.device.device.udid, environment.app.bundleID)
        var state = SyncState(SyncState.Ends(device: device, app: app, source: source))
        state.kind = .folder
        for path in shelf.paths {
            let (file, name) = (source + path, String(path.dropFirst()))
            try Data(name.utf8).write(to: URL(fileURLWithPath: file))
            state[name] = SyncRecord(
                key: name, item: name, stamp: try #require(SourceStamp(path: file)).text,
                contentID: "content of \(name)", path: path, isOwned: true)
            if path != shelf.paths[0] { try FileManager.default.removeItem(atPath: file) }
        }
        try SyncStateStore(
            parent: environment.folder.path("state/overlayhost"), device: device, app: app
        ).save(state)
    }

    @Test("The rows of the removals fail, in the sync as in a dry run and in diff")
    func share() throws {
        let session = try environment.session()
        defer { session.close() }
        let message = "The sync would remove 7 of 8 books that came from this source."
        var request = SyncRequest(source: source, deletes: true, isDryRun: true)
        for listsOthers in [false, true] {
            request.listsOthers = listsOthers
            let plan = try session.sync(request).plan
            #expect(plan.count == 8 && plan.count { $0.action == .remove && $0.fails } == 7)
            #expect(plan.last?.reason?.hasPrefix(message) == true)
            #expect(plan.last?.reason?.hasSuffix(" To remove the books, use --max-delete 7.") == true)
        }
        request = SyncRequest(source: source, deletes: true, mayLoseMarks: true)
        let held = try #require(try session.sync(request).results)
        #expect(held.exitStatus == .someFailed)
        #expect(held.rows.compactMap(\.path) == Array(shelf.paths.dropFirst()))
        #expect(held.rows.allSatisfy { $0.message == message })
        #expect(held.rows.allSatisfy { $0.code == .needsConsent && $0.hintCode == .consent })
        #expect(shelf.paths.count == 8)
        request.mostRemovals = 7
        let removed = try #require(try session.sync(request).results)
        #expect(removed.rows.map(\.status) == Array(repeating: .deleted, count: 7))
        #expect(shelf.paths == ["/0.epub"])
    }

    @Test("An emptied source stops the sync, and consent to lost highlights does not confirm its removals")
    func emptied() throws {
        try FileManager.default.removeItem(atPath: source + "/0.epub")
        let session = try environment.session()
        defer { session.close() }
        var request = SyncRequest(source: source, deletes: true, mayLoseMarks: true)
        let error = hostError { () throws(HostError) in _ = try session.sync(request) }
        #expect(error?.code == .inputUnreadable)
        #expect(error?.hint?.hasSuffix(" To remove the books, use --max-delete 8.") == true)
        // Nothing is removed without `deletes`, so that nothing is lost.
        request.deletes = false
        #expect(try session.sync(request).results?.rows.isEmpty == true)
        (request.deletes, request.mayLoseMarks, request.mostRemovals) = (true, false, 8)
        #expect(
            try session.sync(request).results?.rows.map(\.status) == Array(repeating: .deleted, count: 8))
        #expect(shelf.paths.isEmpty)
    }

    @Test("An overlay that syncs both ways limits deletions itself")
    func bothWays() throws {
        environment.fake.syncSource = { _, _, _, _ in OVL_OK }
        let session = try environment.session()
        defer { session.close() }
        let request = SyncRequest(source: source, deletes: true, mostRemovals: 7)
        let error = hostError { () throws(HostError) in _ = try session.sync(request) }
        #expect(error?.code == .notSupported && error?.hint == "Leave out --max-delete.")
    }
}
