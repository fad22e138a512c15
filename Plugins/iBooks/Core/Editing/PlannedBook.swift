import OverlayKit

/// A book that is to be added, and where it goes.
struct PlannedBook {
    let index: Int
    let item: UploadItem
    let format: BookFormat
    let size: UInt64
    let persistentID: String
    /// Its new place below `/Books`.
    let path: SafePath
    /// The book it takes the place of.
    let replaced: Library.Item?
}
