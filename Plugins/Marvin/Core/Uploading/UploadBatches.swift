import OverlayKit

/// How an upload is cut into commands.
enum UploadBatches {
    static let preference = "upload_batch_size"
    static let fallback = 100

    /// Books per command as the person wants it, at least 1.
    static func size(_ prefs: PrefsService) throws(OverlayError) -> Int {
        max(1, try prefs.integer(preference, default: fallback))
    }

    /// The batches in order; only the last one may be smaller.
    static func cut<Item>(_ items: [Item], size: Int) -> [ArraySlice<Item>] {
        stride(from: 0, to: items.count, by: max(1, size)).map { items[$0...].prefix(max(1, size)) }
    }
}
