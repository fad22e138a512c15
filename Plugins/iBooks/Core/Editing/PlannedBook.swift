import OverlayKit

/// A book that is to be added, and where it goes.
struct PlannedBook {
    let index: Int
    let item: UploadItem
    let format: BookFormat
    let size: UInt64
    /// The MD5 of its content, by which Books knows it.
    let digest: String
    let persistentID: String
    /// Its new place below `/Books`, where nothing is.
    let path: SafePath
    /// The book it takes the place of.
    let replaced: Library.Item?
    /// Whether the file lies at its place already, left by an upload that was broken off.
    let isThere: Bool
    /// What its row says beside that: whole sentences.
    var remarks: [String] = []

    /// The bytes of a cover that Books can show; nil without.
    var cover: [UInt8]? {
        guard let bytes = item.book.coverData, !bytes.isEmpty, ImageKind(bytes) != nil else { return nil }
        return bytes
    }
}
