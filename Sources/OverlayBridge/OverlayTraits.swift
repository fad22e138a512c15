import OverlayABI

/// Static traits, calibre's class attributes: `OVL_TRAIT_…`.
public struct OverlayTraits: OptionSet, Hashable, Sendable {
    /// The bits in the C contract.
    public var rawValue: UInt32

    /// Traits by their bits in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Books can be fetched back to the host.
    public static let canFetch = OverlayTraits(rawValue: OVL_TRAIT_CAN_FETCH)
    /// calibre: CAN_DO_DEVICE_DB_PLUGBOARD.
    public static let deviceDatabasePlugboard = OverlayTraits(rawValue: OVL_TRAIT_DEVICE_DB_PLUGBOARD)
    /// calibre: WANTS_UPDATED_THUMBNAILS.
    public static let wantsUpdatedThumbnails = OverlayTraits(rawValue: OVL_TRAIT_WANTS_UPDATED_THUMBNAILS)
    /// Serves every installed app that shares its Documents folder and that no other overlay names; `appIDs` may be
    /// empty then.
    public static let anyFileSharingApp = OverlayTraits(rawValue: OVL_TRAIT_ANY_FILE_SHARING_APP)
    /// Reads files behind URLs, which also needs the person's permission.
    public static let fetchesWeb = OverlayTraits(rawValue: OVL_TRAIT_FETCHES_WEB)
}
