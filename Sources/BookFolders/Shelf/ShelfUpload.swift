import OverlayKit

/// One file that goes to the device.
struct ShelfUpload {
    /// Which input item.
    var index: Int
    var item: UploadItem
    /// Bytes of the file.
    var size: UInt64
    var fingerprint: ContentFingerprint
    /// Where it goes.
    var path: ShelfPath
    /// What the row says when it is there.
    var outcome: Outcome
    /// The item whose file moves there before, which this one then replaces; nil for most.
    var mover: Int?
    /// What the row says beside that: whole sentences.
    var remarks: [String]

    /// The remarks in one text; nil without any.
    var message: String? { remarks.isEmpty ? nil : remarks.joined(separator: " ") }
}
