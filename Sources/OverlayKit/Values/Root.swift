import OverlayABI

/// A place on the device: `OVL_ROOT_…`. Paths are absolute in each, such as `/Documents/x`. An open set.
public struct Root: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// A place by its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The reader app's whole container.
    public static let container = Root(rawValue: OVL_ROOT_CONTAINER)
    /// The part of the container that the reader app shares.
    public static let documents = Root(rawValue: OVL_ROOT_DOCUMENTS)
    /// The media folder of the device.
    public static let media = Root(rawValue: OVL_ROOT_MEDIA)
}

/// One place and whether iOS grants it; the Swift form of `ovl_root`.
public struct RootAccess: Hashable, Sendable {
    /// The place.
    public var root: Root
    /// Whether files may be reached there.
    public var granted: Bool
    /// Why it is refused.
    public var reason: String?
    /// What helps.
    public var hint: String?

    /// A place and whether it is granted.
    public init(root: Root, granted: Bool, reason: String? = nil, hint: String? = nil) {
        self.root = root
        self.granted = granted
        self.reason = reason
        self.hint = hint
    }
}
