import OverlayABI

/// What an overlay is, readable without creating an instance; the Swift form of `ovl_descriptor`.
public struct OverlayDescriptor: Hashable, Sendable {
    /// Static traits, calibre's class attributes: `OVL_TRAIT_…`.
    public struct Traits: OptionSet, Hashable, Sendable {
        /// The bits in the C contract.
        public var rawValue: UInt32

        /// Traits by their bits in the C contract.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Books can be fetched back to the host.
        public static let canFetch = Traits(rawValue: OVL_TRAIT_CAN_FETCH)
        /// calibre: CAN_DO_DEVICE_DB_PLUGBOARD.
        public static let deviceDatabasePlugboard = Traits(rawValue: OVL_TRAIT_DEVICE_DB_PLUGBOARD)
        /// calibre: WANTS_UPDATED_THUMBNAILS.
        public static let wantsUpdatedThumbnails = Traits(rawValue: OVL_TRAIT_WANTS_UPDATED_THUMBNAILS)
        /// Serves every installed app that shares its Documents folder and that no other overlay names; `appIDs` may be
        /// empty then.
        public static let anyFileSharingApp = Traits(rawValue: OVL_TRAIT_ANY_FILE_SHARING_APP)
        /// Looks into files behind URLs, which takes the person's permission besides.
        public static let fetchesWeb = Traits(rawValue: OVL_TRAIT_FETCHES_WEB)
    }

    /// `[a-z0-9][a-z0-9_-]*`, at most 64 bytes; unique among the overlays of a host.
    public var id: String
    /// Name of the overlay, for people.
    public var name: String
    /// Semantic version of the overlay.
    public var version: String
    /// One sentence.
    public var summary: String
    /// The reader app's name in the prefs (`preferred_reader_app`).
    public var appName: String
    /// Bundle ids the overlay serves, the preferred one first.
    public var appIDs: [String]
    /// File name extensions in lower case, without a dot, the preferred one first.
    public var formats: [String]
    /// What `syncBooklists` can change: any of `title`, `title_sort`, `authors`, `author_sort`, `series`, `series_index`,
    /// `publisher`, `pubdate`, `description`, `tags`, `collections`, `rating`, `cover`, `locked`, `word_count`.
    public var settableMetadata: [String]
    /// calibre: DEVICE_PLUGBOARD_NAME.
    public var plugboardName: String?
    /// calibre: THUMBNAIL_HEIGHT, pixels.
    public var thumbnailHeight: UInt32
    /// Static traits.
    public var traits: Traits
    /// The overlay's preferences.
    public var options: [OverlayOption]
    /// Markdown for people.
    public var help: String?
    /// How long its functions may take, where that is not as usual; each function at most once.
    public var timeLimits: [OverlayTimeLimit]

    /// A descriptor.
    public init(
        id: String, name: String, version: String, summary: String, appName: String, appIDs: [String],
        formats: [String], settableMetadata: [String] = [], plugboardName: String? = nil,
        thumbnailHeight: UInt32 = 0, traits: Traits = [], options: [OverlayOption] = [], help: String? = nil,
        timeLimits: [OverlayTimeLimit] = []
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.summary = summary
        self.appName = appName
        self.appIDs = appIDs
        self.formats = formats
        self.settableMetadata = settableMetadata
        self.plugboardName = plugboardName
        self.thumbnailHeight = thumbnailHeight
        self.traits = traits
        self.options = options
        self.help = help
        self.timeLimits = timeLimits
    }
}
