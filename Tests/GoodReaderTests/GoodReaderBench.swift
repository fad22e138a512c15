import BookFolders
import OverlayKitTesting
import Foundation
import OverlayKit
import SimulatedDevice
import TestSupport

@testable import GoodReader

/// GoodReader on a device in memory, with an overlay in front of it.
final class GoodReaderBench {
    let host = MemoryHost()
    private let folder: TemporaryFolder
    private let reader: SimulatedGoodReader

    /// - Parameter container: whether iOS opens the whole app, or only its documents.
    init(container: Bool = true) throws {
        folder = try TemporaryFolder()
        reader = SimulatedGoodReader(GoodReaderContainer(folder: folder.url))
        host.device.appName = "GoodReader"
        if container {
            host.roots = [
                RootAccess(root: .container, granted: true), RootAccess(root: .documents, granted: true),
            ]
        }
    }

    /// A new instance, as after plugging in again.
    func overlay() throws -> GoodReaderOverlay { try GoodReaderOverlay(host: host.services()) }

    func books(covers: Bool = false) throws -> [Book] {
        var books: [Book] = []
        try overlay().books(BooksOptions(withCovers: covers)) { books.append($0) }
        return books
    }

    /// The rows of a method, in the order of their items.
    func rows(_ body: (GoodReaderOverlay, (ItemResult) -> Void) throws -> Void) throws -> [ItemResult] {
        var rows: [ItemResult] = []
        try body(overlay()) { rows.append($0) }
        return rows.sorted { $0.index < $1.index }
    }

    func upload(_ items: [UploadItem], _ options: UploadOptions = UploadOptions()) throws -> [ItemResult] {
        try rows { overlay, report in try overlay.uploadBooks(items, options: options) { report($0) } }
    }

    func sync(_ books: [Book]) throws -> [ItemResult] {
        try rows { overlay, report in try overlay.syncBooklists(books) { report($0) } }
    }

    /// A document of at least 10,000 bytes with this metadata.
    func document(_ title: String, _ author: String? = nil, cover: String? = nil) -> String {
        var lines = ["%PDF", "Title: \(title)"]
        if let author { lines.append("Author: \(author)") }
        if let cover { lines.append("Cover: \(cover)") }
        return lines.joined(separator: "\n") + "\n" + String(repeating: "x", count: 10_000)
    }

    /// Puts a preview beside a document, as GoodReader draws it.
    func putPreview(_ path: String, _ image: [UInt8], morePages: Int = 0) throws {
        try reader.writePreview(of: path, image, morePages: morePages)
        try put("Library/Application Support/com.goodiware.GoodReader.ASRoot/Previews/0/" + path)
    }

    /// Writes the cache of calibre's plugin.
    func putCache(_ rows: [GoodReaderCacheRow]) throws {
        try reader.writeCache(rows)
        try put("Library/calibre_metadata.sqlite")
    }

    /// Writes bytes to a path in the container.
    func put(_ path: String, _ bytes: [UInt8]) {
        host.files["/" + path] = MemoryHost.File(bytes: bytes, modified: host.now, created: host.now)
    }

    private func put(_ path: String) throws {
        put(path, [UInt8](try Data(contentsOf: folder.url.appendingPathComponent(path))))
    }

    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 3_000)
}
