@_exported import struct OverlayBridge.OverlayTraits
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
    /// What it can do.
    public var traits: OverlayTraits
    /// The preferences it declares.
    public var options: [Preference]
    /// Markdown for people; nil if the overlay gives none.
    public var help: String?
    /// How long its functions may take, by their names, where that is not as usual.
    public var timeLimits: [String: MethodLimits] = [:]

    /// A descriptor with its required parts.
    public init(
        id: String, name: String, version: String, summary: String = "", appName: String, appIDs: [String],
        formats: [String] = [], settableMetadata: [String] = [], plugboardName: String? = nil,
        thumbnailHeight: UInt32 = 0, traits: OverlayTraits = [], options: [Preference] = [],
        help: String? = nil
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
