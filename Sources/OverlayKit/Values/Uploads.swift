import OverlayABI

/// A file on the host that is lent to the overlay by number: `ovl_file_id`.
///
/// Valid until the method that received it returns. 0 means that there is no file.
///
/// ```swift
/// func isZIP(_ item: UploadItem, _ host: HostServices) throws(OverlayError) -> Bool {
///     var head: [UInt8] = []
///     try host.transport.localRead(item.file, length: 4) { chunk, _, _ in head += chunk }
///     return head == Array("PK\u{3}\u{4}".utf8)
/// }
/// ```
public struct HostFile: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt64

    /// Creates a lent file from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A book to upload. The Swift form of `ovl_upload_item`.
///
/// ```swift
/// func announce(_ item: UploadItem, _ host: HostServices) {
///     let fileExtension = item.name.hasSuffix(".pdf") ? "pdf" : "epub"
///     let path = "/Documents/\(item.book.uuid ?? "book").\(fileExtension)"
///     host.log.info("upload", "Sending \(item.book.title ?? item.name) to \(path).")
/// }
/// ```
public struct UploadItem: Hashable, Sendable {
    /// The file's content, for use with `push`, `localInfo` and `localRead` of the transport service.
    public var file: HostFile
    /// The file's name on the host, without folders. For messages and extensions, not for paths.
    ///
    /// If its extension is missing or does not match the content, the host may have corrected it.
    public var name: String
    /// The host's metadata of the book; `uuid` is always set. With `replace`, its `path` may be that of the book on
    /// the device to replace, under any name; if it is nil, the overlay finds that book.
    public var book: Book

    /// Creates an item to upload.
    public init(file: HostFile, name: String, book: Book) {
        self.file = file
        self.name = name
        self.book = book
    }
}

/// The behaviour for a book that is already on the device: `OVL_CONFLICT_…`. An open set; treat an unknown value as
/// `protect`.
///
/// ```swift
/// func mayChange(_ options: UploadOptions) -> Bool {
///     switch options.onConflict {
///     case .update, .replace: true
///     default: false  // protect, and policies of later versions
///     }
/// }
/// ```
public struct ConflictPolicy: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// Creates a policy from its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Keep the book on the device unchanged and skip the item.
    public static let protect = ConflictPolicy(rawValue: OVL_CONFLICT_PROTECT)
    /// Update the book on the device, and keep the reader app's data about it.
    public static let update = ConflictPolicy(rawValue: OVL_CONFLICT_UPDATE)
    /// Replace the book on the device.
    public static let replace = ConflictPolicy(rawValue: OVL_CONFLICT_REPLACE)
}

/// The options of an upload. The Swift form of `ovl_upload_options`.
///
/// ```swift
/// func collections(
///     of item: UploadItem, on known: Book, _ options: UploadOptions
/// ) throws(OverlayError) -> [String] {
///     let collections = options.collections ?? item.book.collections ?? []
///     if options.onConflict == .replace, !options.mayLoseMarks, !known.annotations.isEmpty {
///         throw OverlayError(.needsConsent, "The book on the device has notes.", subject: item.name)
///     }
///     return collections
/// }
/// ```
public struct UploadOptions: Hashable, Sendable {
    /// The volume for the books.
    public var volume: Volume
    /// The behaviour for a book that is already on the device.
    public var onConflict: ConflictPolicy
    /// The collections for each new book.
    public var collections: [String]?
    /// Whether the user has agreed to lose annotations in books that are replaced. Without this, such an item fails
    /// with `needsConsent`.
    public var mayLoseMarks: Bool

    /// Creates options.
    public init(
        volume: Volume = .main, onConflict: ConflictPolicy = .protect, collections: [String]? = nil,
        mayLoseMarks: Bool = false
    ) {
        self.mayLoseMarks = mayLoseMarks
        self.volume = volume
        self.onConflict = onConflict
        self.collections = collections
    }
}
