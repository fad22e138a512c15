import Foundation
import TestSupport
import Testing

@testable import OverlayHost

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
        #expect(plan.filter { $0.action == .remove && !$0.fails }.map(\.path) == ["/17.epub"])
        #expect(notices.all.contains { $0.contains("was moved here from \(folder.path).") })
        request.isDryRun = false
        #expect(try session.sync(request).results?.rows.map(\.status) == [.deleted])
        let count = notices.all.count
        #expect(try session.sync(request).results?.rows.isEmpty == true)
        #expect(notices.all.count == count && folder.shelf.count == 7)
    }
}
