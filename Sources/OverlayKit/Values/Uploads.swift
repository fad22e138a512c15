import OverlayABI

/// A file on the host that the host lent to the overlay by number: `ovl_file_id`.
///
/// Valid until the method that got it returns. 0 means that there is no file.
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
    /// If its extension is missing or does not match the content, the host may have set the right one.
    public var name: String
    /// What the host knows about the book; `uuid` is always set. With `replace` its `path` may name the book on the device that
    /// this one replaces, under any name; nil: the overlay finds that book.
    public var book: Book

    /// An item to upload.
    public init(file: HostFile, name: String, book: Book) {
        self.file = file
        self.name = name
        self.book = book
    }
}

/// What to do with a book that is already there: `OVL_CONFLICT_…`. An open set; take an unknown one as `protect`.
public struct ConflictPolicy: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// A policy by its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Leave the book on the device as it is and skip the item.
    public static let protect = ConflictPolicy(rawValue: OVL_CONFLICT_PROTECT)
    /// Bring the book on the device up to date, keeping what the reader app knows about it.
    public static let update = ConflictPolicy(rawValue: OVL_CONFLICT_UPDATE)
    /// Put the new book in place of the one on the device.
    public static let replace = ConflictPolicy(rawValue: OVL_CONFLICT_REPLACE)
}

/// How to upload; the Swift form of `ovl_upload_options`.
public struct UploadOptions: Hashable, Sendable {
    /// Where the books go.
    public var volume: Volume
    /// What to do with a book that is already there.
    public var onConflict: ConflictPolicy
    /// Collections for each new book.
    public var collections: [String]?
    /// Whether the person has agreed to lose what they left in books that are replaced. Without it such an item fails with
    /// `needsConsent`.
    public var mayLoseMarks: Bool

    /// Options of an upload.
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
