import OverlayTestSupport
import DeviceTransport
import Foundation
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("A session takes a new build of an overlay")
struct ReloadTests {
    private func session(
        _ shelf: ShelfWorld, isWorker: Bool, watches: Bool = false, _ notices: CollectedNotices? = nil
    )
        throws -> HostSession
    {
        var request = try shelf.environment.request()
        request.discovery = OverlayDiscovery(
            paths: shelf.world.paths, isolation: try ShelfWorld.isolation(isWorker))
        request.watchesOverlay = watches
        request.notice = { notices?.add($0) }
        var target = try shelf.environment.target()
        target.overlay = try shelf.load(isWorker: isWorker)
        return try HostSession(target, request)
    }

    private func titles(_ session: HostSession) throws -> [String?] {
        let books = try session.books()
        return (0..<books.count).map { books[$0].title }
    }

    @Test("The session goes on with the new code and the same device", arguments: [false, true])
    func taken(isWorker: Bool) throws {
        let shelf = try ShelfWorld()
        let session = try session(shelf, isWorker: isWorker)
        defer { session.close() }
        #expect(try titles(session) == ["Emma.epub", "Ulysses.epub"])
        let opened = shelf.environment.device.opened
        try ShelfOverlay.build(shelf.world.file("shelf.so"), ["PREFIX=\"New \"", "VERSION=\"1.1.0\""])
        try session.reload()
        #expect(session.overlay.version == "1.1.0")
        #expect(try titles(session) == ["New Emma.epub", "New Ulysses.epub"])
        #expect(shelf.environment.device.opened == opened, "the connection to the files is the same")
    }

    @Test(
        "A build that cannot be loaded or does not get ready leaves the one before it at work",
        arguments: [false, true])
    func refused(isWorker: Bool) throws {
        let shelf = try ShelfWorld()
        let session = try session(shelf, isWorker: isWorker)
        defer { session.close() }
        let file = shelf.world.file("shelf.so")
        try FileManager.default.removeItem(atPath: file)
        try Data("no library".utf8).write(to: URL(fileURLWithPath: file))
        let first = hostError { () throws(HostError) in try session.reload() }
        #expect(first?.code == .overlayRefused)
        #expect(try titles(session) == ["Emma.epub", "Ulysses.epub"])
        try FileManager.default.removeItem(atPath: file)
        try ShelfOverlay.build(file, ["FAIL_TO_CREATE"])
        let second = hostError { () throws(HostError) in try session.reload() }
        #expect(second?.message == "It is not my day.", "\(String(describing: second))")
        #expect(try titles(session) == ["Emma.epub", "Ulysses.epub"])
    }

    @Test(
        "A session that watches takes new builds automatically and reports it, and reports why if it does not"
    )
    func watching() throws {
        let shelf = try ShelfWorld()
        let notices = CollectedNotices()
        let session = try session(shelf, isWorker: true, watches: true, notices)
        defer { session.close() }
        #expect(try titles(session) == ["Emma.epub", "Ulysses.epub"])
        #expect(notices.all.isEmpty)
        try ShelfOverlay.build(shelf.world.file("shelf.so"), ["PREFIX=\"New \"", "VERSION=\"1.1.0\""])
        #expect(try titles(session) == ["New Emma.epub", "New Ulysses.epub"])
        #expect(notices.all == ["Now using the new build of Shelf 1.1.0."])
        try FileManager.default.removeItem(atPath: shelf.world.file("shelf.so"))
        try Data("no library".utf8).write(to: URL(fileURLWithPath: shelf.world.file("shelf.so")))
        #expect(try titles(session) == ["New Emma.epub", "New Ulysses.epub"])
        #expect(notices.all.count == 2)
        #expect(notices.all.last?.contains("The file is not a library.") == true, "\(notices.all)")
    }

    @Test("Waiting ends with a complete build, even after its folder was recreated")
    func waiting() throws {
        let shelf = try ShelfWorld()
        let folder = shelf.world.folder.path("build")
        func makeFolder() throws {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }
        try makeFolder()
        try ShelfOverlay.build(folder + "/shelf.so")
        let watch = OverlayWatch(file: folder + "/shelf.so")
        #expect(!watch.hasChanged)
        #expect(!watch.wait(Cancellation(), within: .milliseconds(1)))
        try ShelfOverlay.build(folder + "/shelf.so", ["VERSION=\"2.0.0\""])
        #expect(watch.hasChanged)
        #expect(watch.wait(Cancellation(), within: .seconds(300)))
        #expect(!watch.hasChanged, "it counts as known")
        try FileManager.default.removeItem(atPath: folder)
        #expect(!watch.hasChanged, "a missing file is not a new build")
        try makeFolder()
        try ShelfOverlay.build(folder + "/shelf.so", ["VERSION=\"3.0.0\""])
        #expect(watch.wait(Cancellation(), within: .seconds(300)))
        let cancellation = Cancellation()
        cancellation.cancel()
        #expect(!watch.wait(cancellation))
    }
}
