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
    /// An item of this uuid, whose file has it as its name and content.
    func item(_ uuid: String, _ change: (inout Book) -> Void = { _ in }) throws -> UploadItem {
        var item = try host.item(uuid, name: "\(uuid).epub")
        change(&item.book)
        return item
    }

    /// The rows of an upload that reaches its end.
    func upload(_ items: [UploadItem], _ conflict: ConflictPolicy) throws -> [ItemResult] {
        let (rows, error) = try host.upload(items, UploadOptions(onConflict: conflict))
        if let error { throw error }
        return rows
    }

    /// What a file of Marvin's documents holds.
    func content(_ name: String) throws -> Data {
        try Data(contentsOf: host.url("Documents/\(name)"))
    }
}
