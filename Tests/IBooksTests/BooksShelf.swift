import OverlayKitTesting
import Claims
import FoundationEssentials
import OverlayKit
import PropertyLists

@testable import iBooks

/// A library of Books on a device in memory.
final class BooksShelf {
    let host = MemoryHost()
    /// The time of day; nil for the real time.
    var now: Date?

    init() {
        host.folders = ["/Books", "/Books/Sync", "/Books/Sync/Artwork", "/Books/Purchases"]
        host.switches["ibooks_write"] = true
    }

    func overlay() throws -> IBooksOverlay {
        let overlay = try IBooksOverlay(host: host.services())
        overlay.clock = { [host] in .nanoseconds(host.waited) }
        if let now { overlay.now = { now } }
        return overlay
    }

    /// Writes a list.
    func list(_ path: String, _ entries: [PropertyList]) throws {
        let root: PropertyList = ["Books": .array(entries), "Version": "1"]
        host.files["/Books/" + path] = .init(bytes: try root.encoded(.xml), modified: 1, created: 1)
    }

    /// The entries of a list; empty without the list.
    func entries(_ path: String) throws -> [PropertyList] {
        guard let bytes = host.files["/Books/" + path]?.bytes else { return [] }
        return try PropertyList(parsing: bytes)["Books"]?.array ?? []
    }

    /// Puts a file below `/Books`.
    func put(_ path: String, _ content: String) {
        host.now += 1_000_000_000
        host.files["/Books/" + path] = .init(
            bytes: Array(content.utf8), modified: host.now, created: host.now)
    }

    /// A packed book that `Books.plist` names.
    func place(_ path: String, _ title: String, _ artist: String, id: String, _ content: String) throws {
        put(path, content)
        let entry: PropertyList = [
            "Path": .string(path), "Name": .string(title), "Artist": .string(artist),
            "Persistent ID": .string(id),
        ]
        try list("Books.plist", try entries("Books.plist") + [entry])
    }

    func content(_ path: String) -> String? {
        host.files["/Books/" + path].map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// All files below `/Books`, except the lists and their copies.
    var books: [String] {
        host.files.keys.map { String($0.dropFirst("/Books/".count)) }
            .filter { !$0.contains(".plist") && !$0.contains(FolderClaim.name) }.sorted()
    }

    /// Whether the next command has recorded work to finish.
    var isUnfinished: Bool { host.stored.keys.contains { $0.contains("unfinished") } }

    /// Copies of a list.
    func copies(_ path: String) -> [String] {
        host.files.keys.filter { $0.hasPrefix("/Books/\(path).overlayhost-") }.sorted()
    }

    /// An EPUB to add.
    func epub(_ name: String, _ title: String, _ author: String = "A", cover: [UInt8]? = nil) -> UploadItem {
        var item = host.item(
            name + ".epub", "EPUB\nTitle: \(title)\n\(name)", title: title, authors: [author])
        // A uuid of the content, as the host makes it.
        let digits = name.utf8.map { String($0, radix: 16) }.joined() + "00000000000000000"
        item.book.uuid = String(digits.prefix(16))
        item.book.coverData = cover
        return item
    }

    func upload(
        _ items: [UploadItem], _ policy: ConflictPolicy = .protect, mayLoseMarks: Bool = false
    ) throws -> (rows: [ItemResult], error: OverlayError?) {
        let overlay = try overlay()
        var rows: [ItemResult] = []
        var failure: OverlayError?
        do throws(OverlayError) {
            let options = UploadOptions(onConflict: policy, mayLoseMarks: mayLoseMarks)
            try overlay.uploadBooks(items, options: options) { rows.append($0) }
        } catch { failure = error }
        return (rows.sorted { $0.index < $1.index }, failure)
    }

    func delete(_ paths: [String]) throws -> (rows: [ItemResult], error: OverlayError?) {
        let overlay = try overlay()
        var rows: [ItemResult] = []
        var failure: OverlayError?
        do throws(OverlayError) { try overlay.deleteBooks(paths) { rows.append($0) } } catch {
            failure = error
        }
        return (rows.sorted { $0.index < $1.index }, failure)
    }

    func titles() throws -> [String] {
        var titles: [String] = []
        try overlay().books(BooksOptions()) { titles.append($0.title ?? "") }
        return titles
    }
}
