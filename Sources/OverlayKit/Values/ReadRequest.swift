import OverlayABI

/// One ranged read of a batch; the Swift form of `ovl_read_request`.
public struct ReadRequest: Hashable, Sendable {
    /// Most bytes one request may ask for.
    public static let limit: UInt64 = UInt64(OVL_READ_LIMIT)

    /// Path on the device.
    public var path: String
    /// First byte.
    public var offset: UInt64
    /// Bytes at most, up to `limit`. Fewer arrive at the end of the file.
    public var length: UInt64
    /// Whether the device is asked for bytes only once: saves a request for a small file whose content tells whether it
    /// is whole, for fewer bytes may then arrive before its end, too.
    public var once: Bool

    /// A range of a file; without `length`, as much as one request may ask for.
    public init(
        _ path: String, offset: UInt64 = 0, length: UInt64 = ReadRequest.limit, once: Bool = false
    ) {
        self.once = once
        self.path = path
        self.offset = offset
        self.length = length
    }
}
