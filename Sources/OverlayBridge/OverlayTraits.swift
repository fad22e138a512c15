import OverlayABI

/// Static traits, in calibre the class attributes: `OVL_TRAIT_…`.
///
/// ```swift
/// let descriptor = OverlayDescriptor(
///     id: "paperboat", name: "Paperboat", version: "0.1.0", summary: "Lists books.",
///     appName: "Paperboat", appIDs: ["org.example.paperboat"], formats: ["epub"],
///     traits: [.canFetch, .fetchesWeb])
/// ```
public struct OverlayTraits: OptionSet, Hashable, Sendable {
    /// The bits in the C contract.
    public var rawValue: UInt32

    /// Creates traits from their bits in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Books can be fetched back to the host.
    public static let canFetch = OverlayTraits(rawValue: OVL_TRAIT_CAN_FETCH)
    /// The attribute CAN_DO_DEVICE_DB_PLUGBOARD in calibre.
    public static let deviceDatabasePlugboard = OverlayTraits(rawValue: OVL_TRAIT_DEVICE_DB_PLUGBOARD)
    /// The attribute WANTS_UPDATED_THUMBNAILS in calibre.
    public static let wantsUpdatedThumbnails = OverlayTraits(rawValue: OVL_TRAIT_WANTS_UPDATED_THUMBNAILS)
    /// Serves every installed app with file sharing that other overlays do not name; `appIDs` may then be empty.
    public static let anyFileSharingApp = OverlayTraits(rawValue: OVL_TRAIT_ANY_FILE_SHARING_APP)
    /// Reads files from URLs, which also requires the user's permission.
    public static let fetchesWeb = OverlayTraits(rawValue: OVL_TRAIT_FETCHES_WEB)
}
