import OverlayABI

/// Where books live, calibre's `oncard`: `OVL_VOLUME_…`. iOS devices have only the main volume. An open set.
public struct Volume: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// A volume by its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The device's own memory.
    public static let main = Volume(rawValue: OVL_VOLUME_MAIN)
    /// The first memory card.
    public static let cardA = Volume(rawValue: OVL_VOLUME_CARD_A)
    /// The second memory card.
    public static let cardB = Volume(rawValue: OVL_VOLUME_CARD_B)
}

/// What `books` should deliver; the Swift form of `ovl_books_options`.
public struct BooksOptions: Hashable, Sendable {
    /// Whether the bytes of each (small) cover are wanted too.
    public var withCovers: Bool
    /// Whether annotations are wanted too.
    public var withAnnotations: Bool
    /// Which volume to list; an iOS overlay has no books on a card.
    public var volume: Volume
    /// Paths and uuids of the wanted books; nil: all books. An overlay that cannot tell which books these are
    /// without reading the others delivers all.
    public var wanted: [String]?
    /// Whether the metadata in the books' files is not needed; a book may lack its title if only its file has it.
    public var unread: Bool

    /// Options of a listing.
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
