import DeviceTransport
import Foundation
import Libraries
import OverlayABI
import OverlayBridge
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost

/// A folder whose books are also on a device, as its last sync has left them.
final class SyncedFolder {
    let environment: FakeEnvironment
    /// The folder.
    let path: String
    /// The paths of the books on the device.
    private(set) var shelf: [String]
    /// The sizes of books on the device, by their paths.
    var sizes: [String: UInt64] = [:]

    init(books: Int) throws {
        // Names of two digits, which are sorted like numbers.
        shelf = (10..<10 + books).map { "/\($0).epub" }
        environment = try FakeEnvironment()
        path = environment.folder.path("source")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let (device, app) = (environment.device.device.udid, environment.app.bundleID)
        var state = SyncState(SyncState.Ends(device: device, app: app, source: path))
        state.kind = .folder
        for book in shelf {
            let name = String(book.dropFirst())
            let file = try environment.file("source/" + name, name)
            state[name] = SyncRecord(
                key: name, item: name, stamp: try #require(SourceStamp(path: file)).text,
                contentID: "content of \(name)", path: book, isOwned: true)
        }
        try SyncStateStore(
            parent: environment.folder.path("state/overlayhost"), device: device, app: app
        ).save(state)
        environment.fake.books = { [unowned self] _, sink, _ in
            for path in self.shelf {
                var book = BookRecord(path: path)
                book.size = self.sizes[path]
                guard sink.put(book) == OVL_OK else { return OVL_STOPPED }
            }
            return OVL_OK
        }
        environment.fake.delete = { [unowned self] paths, results, _ in
            for index in 0..<paths.pointee.count {
                guard let path = paths.pointee.items?[Int(index)].readMessage() else { return OVL_FAILED }
                self.shelf.removeAll { $0 == path }
                results.put(index, OVL_OUTCOME_DELETED)
            }
            return OVL_OK
        }
    }

    /// The state of the last sync.
    var state: SyncState {
        SyncStateStore(
            parent: environment.folder.path("state/overlayhost"), device: environment.device.device.udid,
            app: environment.app.bundleID
        ).load(path)
    }

    /// Removes the books with these numbers from the folder.
    func remove(_ numbers: Range<Int>) throws {
        for number in numbers { try FileManager.default.removeItem(atPath: "\(path)/\(number).epub") }
    }
}
