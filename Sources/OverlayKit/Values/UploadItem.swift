/// A file on the host that the host lent to the overlay by number: `ovl_file_id`.
///
/// Valid until the method that got it returns. 0 is no file.
public struct HostFile: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt64

    /// A lent file by its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// One book to upload; the Swift form of `ovl_upload_item`.
public struct UploadItem: Hashable, Sendable {
    /// The file's content, for `push`, `localInfo` and `localRead` of the transport service.
    public var file: HostFile
    /// The file's name on the host, without folders. For messages and extensions, never for paths.
    ///
    /// Where that does not tell what the content is, the host may have given it the extension of the content.
    public var name: String
    /// What the host knows about the book; `uuid` is always set.
    public var book: Book

    /// An item to upload.
    public init(file: HostFile, name: String, book: Book) {
        self.file = file
        self.name = name
        self.book = book
    }
}
