import Foundation
import Libraries
import TestSupport
import Testing

@testable import OverlayHost

@Suite("Copies that exchanged their names on the device are followed")
struct ExchangedCopiesTests {
    @Test("The new paths are recorded even if nothing else changes")
    func recorded() throws {
        let folder = try SyncedFolder(books: 2)
        let session = try folder.environment.session()
        defer { session.close() }
        folder.sizes = ["/10.epub": 100, "/11.epub": 200]
        #expect(try session.sync(SyncRequest(source: folder.path)).results?.rows.isEmpty == true)
        #expect(folder.state["10.epub"]?.path == "/10.epub")
        folder.sizes = ["/10.epub": 200, "/11.epub": 100]
        #expect(try session.sync(SyncRequest(source: folder.path)).results?.rows.isEmpty == true)
        #expect(folder.state["10.epub"]?.path == "/11.epub" && folder.state["11.epub"]?.path == "/10.epub")
    }
}

@Suite("A source whose folder was moved stays the source of its books")
struct MovedSourceTests {
    @Test("Its books are removed when they are gone, and the first run says where it was")
    func moved() throws {
        let folder = try SyncedFolder(books: 8)
        try folder.remove(17..<18)
        let new = folder.environment.folder.path("moved")
        try FileManager.default.moveItem(atPath: folder.path, toPath: new)
        let notices = CollectedNotices()
        var opening = try folder.environment.request()
        opening.notice = { notices.add($0) }
        let session = try HostSession(try folder.environment.target(), opening)
        defer { session.close() }
        var request = SyncRequest(source: new, deletes: true, isDryRun: true)
        let plan = try session.sync(request).plan
        #expect(plan.count { $0.action == .keep } == 7)
        #expect(plan.filter { $0.action == .remove && $0.fails }.map(\.path) == ["/17.epub"])
        #expect(notices.all.contains { $0.contains("was moved here from \(folder.path).") })
        request.isDryRun = false
        // A copy of a disk has the same files, so the first removals are confirmed.
        for _ in 0..<2 {
            #expect(try session.sync(request).results?.rows.map(\.code) == [.needsConsent])
        }
        #expect(folder.shelf.count == 8)
        request.mostRemovals = 1
        #expect(try session.sync(request).results?.rows.map(\.status) == [.deleted])
        let count = notices.all.count
        #expect(try session.sync(request).results?.rows.isEmpty == true)
        #expect(notices.all.count == count && folder.shelf.count == 7)
    }
}
