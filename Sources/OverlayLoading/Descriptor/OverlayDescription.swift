import OverlayABI
import Preferences

/// What an overlay says about itself, checked and copied; needs no instance.
public struct OverlayDescription: Sendable, Equatable {
    /// Unique among the overlays of a host: `[a-z0-9][a-z0-9_-]*`, at most 64 bytes.
    public var id: String
    /// Name of the overlay, for people.
    public var name: String
    /// Semantic version of the overlay.
    public var version: String
    /// One sentence; empty if the overlay gives none.
    public var summary: String
    /// The reader app's name in the preferences.
    public var appName: String
    /// Bundle ids the overlay serves, the preferred one first; empty only with the trait `anyFileSharingApp`.
    public var appIDs: [String]
    /// File name extensions it takes, in lower case without a dot, the preferred one first.
    public var formats: [String]
    /// The words of what can be changed (`overlay_methods.h`); may hold words of later minor versions.
    public var settableMetadata: [String]
    /// calibre: DEVICE_PLUGBOARD_NAME.
    public var plugboardName: String?
    /// calibre: THUMBNAIL_HEIGHT, pixels.
    public var thumbnailHeight: UInt32
    /// What it can do; the `OVL_TRAIT_…` bits.
    public var traits: Traits
    /// The preferences it declares.
    public var options: [Preference]
    /// Markdown for people; nil if the overlay gives none.
    public var help: String?
    /// How long its functions may take, by their names, where that is not as usual.
    public var timeLimits: [String: MethodLimits] = [:]

    /// The `OVL_TRAIT_…` bits.
    public struct Traits: OptionSet, Sendable {
        /// The bits of the ABI.
        public let rawValue: UInt32

        /// Traits by their bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Books can be fetched back to the host.
        public static let canFetch = Traits(rawValue: OVL_TRAIT_CAN_FETCH)
        /// calibre: CAN_DO_DEVICE_DB_PLUGBOARD.
        public static let deviceDBPlugboard = Traits(rawValue: OVL_TRAIT_DEVICE_DB_PLUGBOARD)
        /// calibre: WANTS_UPDATED_THUMBNAILS.
        public static let wantsUpdatedThumbnails = Traits(rawValue: OVL_TRAIT_WANTS_UPDATED_THUMBNAILS)
        /// Serves every app that shares its Documents folder and that no other overlay names.
        public static let anyFileSharingApp = Traits(rawValue: OVL_TRAIT_ANY_FILE_SHARING_APP)
        /// Looks into files behind URLs, if the person allows it.
        public static let fetchesWeb = Traits(rawValue: OVL_TRAIT_FETCHES_WEB)
    }

    /// A descriptor with its required parts.
    public init(
        id: String, name: String, version: String, summary: String = "", appName: String, appIDs: [String],
        formats: [String] = [], settableMetadata: [String] = [], plugboardName: String? = nil,
        thumbnailHeight: UInt32 = 0, traits: Traits = [], options: [Preference] = [], help: String? = nil
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
    }
}

extension PreferenceSchema {
    /// This schema with the options of an overlay and the name of its reader app.
    ///
    /// A historical key of that app keeps its built-in type, default and limits; the overlay says what it means there.
    public func merging(_ overlay: OverlayDescription) -> PreferenceSchema {
        merging(
            options: overlay.options, of: overlay.id, for: overlay.appName,
            servesAnyApp: overlay.traits.contains(.anyFileSharingApp))
    }
}
