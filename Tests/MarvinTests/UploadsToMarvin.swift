import Foundation
import OverlayKit
import Testing

@testable import Marvin

/// A suite that adds books to a Marvin in a folder.
protocol UploadsToMarvin {
    var host: MarvinTestHost { get }
    var marvin: FakeMarvin { get }
}

extension UploadsToMarvin {
    /// An item with this uuid. Its file has the uuid as name and content.
    func item(_ uuid: String, _ change: (inout Book) -> Void = { _ in }) throws -> UploadItem {
        var item = try host.item(uuid, name: "\(uuid).epub")
        change(&item.book)
        return item
    }

    /// The rows of a successful upload.
    func upload(_ items: [UploadItem], _ conflict: ConflictPolicy) throws -> [ItemResult] {
        let (rows, error) = try host.upload(items, UploadOptions(onConflict: conflict))
        if let error { throw error }
        return rows
    }

    /// The content of a file of Marvin's documents.
    func content(_ name: String) throws -> Data {
        try Data(contentsOf: host.url("Documents/\(name)"))
    }
}
