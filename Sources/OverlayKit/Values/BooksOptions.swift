import OverlayABI

/// The place of books, in calibre `oncard`: `OVL_VOLUME_…`. iOS devices have only the main volume. An open set.
///
/// ```swift
/// func refuseMemoryCard(_ options: UploadOptions) throws(OverlayError) {
///     guard options.volume == .main else {
///         throw OverlayError(.notSupported, "An iPhone has no memory card.")
///     }
/// }
/// ```
public struct Volume: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// Creates a volume from its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The device's own memory.
    public static let main = Volume(rawValue: OVL_VOLUME_MAIN)
    /// The first memory card.
    public static let cardA = Volume(rawValue: OVL_VOLUME_CARD_A)
    /// The second memory card.
    public static let cardB = Volume(rawValue: OVL_VOLUME_CARD_B)
}

/// The options of `books`. The Swift form of `ovl_books_options`.
///
/// ```swift
/// func emma(_ options: BooksOptions, _ host: HostServices) throws(OverlayError) -> Book {
///     var book = Book(path: "/Documents/Emma.epub")
///     if !options.unread {
///         let source = ContentSource.device(.documents, "/Documents/Emma.epub")
///         book = book.overridden(by: try host.metadata.read(source, covers: options.withCovers).book)
///     }
///     return book
/// }
/// ```
public struct BooksOptions: Hashable, Sendable {
    /// Whether to include the bytes of each (small) cover.
    public var withCovers: Bool
    /// Whether to include annotations. An overlay that has no way to read them delivers none. If there are some that
    /// cannot be read now, the method throws, because the caller would take them for deleted.
    public var withAnnotations: Bool
    /// The volume to list. On iOS devices, cards have no books.
    public var volume: Volume
    /// The paths and uuids of the wanted books; nil for all books. An overlay that cannot find these books without
    /// reading the others returns all.
    public var wanted: [String]?
    /// Whether the metadata in the books' files is not needed. If only its file has the title of a book, the title
    /// may then be missing.
    public var unread: Bool

    /// Creates options.
    public init(
        withCovers: Bool = false, volume: Volume = .main, withAnnotations: Bool = false,
        wanted: [String]? = nil, unread: Bool = false
    ) {
        self.withCovers = withCovers
        self.withAnnotations = withAnnotations
        self.volume = volume
        self.wanted = wanted
        self.unread = unread
    }
}
