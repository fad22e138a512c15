import OverlayABI

/// The kind of help that a hint gives: `OVL_HINT_…` of `overlay_types.h`. An open set.
///
/// Give it with a hint that names an option of the command line, so that other programs can say it in their own words.
///
/// ```swift
/// let error = OverlayError(
///     .needsConsent, "The new edition would lose your notes.", subject: "Emma",
///     hint: "To send it anyway, repeat the command with --yes.", hintKind: .consent)
/// ```
public struct HintKind: RawRepresentable, Hashable, Sendable {
    /// The bits in the C contract.
    public var rawValue: UInt32

    /// Creates a kind from its bits in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Repeat the call with the user's consent: `--yes`.
    public static let consent = HintKind(rawValue: OVL_HINT_CONSENT)
    /// Keep the existing book: `--on-conflict protect`.
    public static let protect = HintKind(rawValue: OVL_HINT_PROTECT)
    /// Replace the existing book: `--on-conflict replace`.
    public static let replace = HintKind(rawValue: OVL_HINT_REPLACE)
    /// Name collections when sending: `--collection`.
    public static let collections = HintKind(rawValue: OVL_HINT_COLLECTIONS)
    /// Change a preference: `overlayhost prefs set`.
    public static let preference = HintKind(rawValue: OVL_HINT_PREFERENCE)
    /// List the available items, such as books: `overlayhost books`.
    public static let list = HintKind(rawValue: OVL_HINT_LIST)
}

extension HintKind {
    /// The kind in the flags of a record; nil if they have none.
    package init?(flags: UInt32) {
        guard flags & OVL_HINT_MASK != 0 else { return nil }
        self.init(rawValue: flags & OVL_HINT_MASK)
    }

    /// The bits of a kind for the flags of a record.
    package static func flags(_ kind: HintKind?) -> UInt32 { (kind?.rawValue ?? 0) & OVL_HINT_MASK }
}
