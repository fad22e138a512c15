import OverlayKit

/// A book that is to be added, and where it goes.
struct PlannedBook {
    /// Before the name of a folder while it is being filled; listings pass over such names.
    private static let mark = ".overlayhost-new-"

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
    let replaced: BooksLibrary.Item?
    /// Whether the file lies at its place already, left by an upload that was broken off.
    let isThere: Bool
    /// What its row says beside that: whole sentences.
    var remarks: [String] = []
    /// Its parts, if it becomes a folder; nil for a file.
    var parts: BookParts?

    /// Whether a book becomes a folder: an EPUB in the place of one that is a folder.
    static func isUnpacked(_ format: BookFormat, over old: BooksLibrary.Item?) -> Bool {
        format == .epub && old?.isUnpacked == true
    }

    /// Where the folder is filled, beside its place; nil for a file.
    var temporaryPath: SafePath? {
        guard Self.isUnpacked(format, over: replaced) else { return nil }
        return SafePath((path.folder.map { $0.text + "/" } ?? "") + Self.mark + path.name)
    }

    /// Where anything of it may be on the device.
    var paths: [SafePath] { [path] + [temporaryPath].compactMap { $0 } }

    /// Bytes that it takes on the device, without its cover.
    var sentSize: UInt64 { isThere ? 0 : parts?.size ?? size }

    /// The bytes of a cover that Books can show; nil without.
    var cover: [UInt8]? {
        guard let bytes = item.book.coverData, !bytes.isEmpty, ImageKind(bytes) != nil else { return nil }
        return bytes
    }
}
