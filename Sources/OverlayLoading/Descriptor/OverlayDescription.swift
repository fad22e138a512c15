@_exported import struct OverlayBridge.OverlayTraits
import Preferences

/// The checked and copied description of an overlay, which does not require an instance.
///
/// ```swift
/// func describe(_ overlay: OverlayDescription) {
///     print(overlay.name, overlay.version, overlay.summary)
///     print(overlay.appName, overlay.formats.joined(separator: ", "))
///     for option in overlay.options { print(option.key, option.meaning) }
/// }
/// ```
public struct OverlayDescription: Sendable, Equatable {
    /// The id: `[a-z0-9][a-z0-9_-]*`, at most 64 bytes, unique among the overlays of a host.
    public var id: String
    /// The name of the overlay for display.
    public var name: String
    /// The semantic version of the overlay.
    public var version: String
    /// A summary of one sentence; empty if the overlay does not provide one.
    public var summary: String
    /// The name of the reader app in the preferences.
    public var appName: String
    /// The bundle identifiers that the overlay serves, in order of preference. Empty only with the trait
    /// `anyFileSharingApp`.
    public var appIDs: [String]
    /// The supported file name extensions in lower case, without a dot, in order of preference.
    public var formats: [String]
    /// The words for the metadata that can be changed (`overlay_methods.h`). May contain words of later minor
    /// versions.
    public var settableMetadata: [String]
    /// The value of DEVICE_PLUGBOARD_NAME in calibre.
    public var plugboardName: String?
    /// The value of THUMBNAIL_HEIGHT in calibre, in pixels.
    public var thumbnailHeight: UInt32
    /// The static traits.
    public var traits: OverlayTraits
    /// The declared preferences.
    public var options: [Preference]
    /// The help for users, in Markdown; nil if the overlay does not provide it.
    public var help: String?
    /// The time limits of functions that differ from the defaults, by name.
    public var timeLimits: [String: MethodLimits] = [:]
    /// The names in `time_limits` that no function of this version of the contract has.
    package var unknownLimits: [String] = []

    /// Creates a description with its required parts.
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
    /// A historical key of that app keeps its built-in type, default and limits, and gets the overlay's explanation.
    public func merging(_ overlay: OverlayDescription) -> PreferenceSchema {
        merging(
            options: overlay.options, of: overlay.id, for: overlay.appName,
            servesAnyApp: overlay.traits.contains(.anyFileSharingApp))
    }
}
