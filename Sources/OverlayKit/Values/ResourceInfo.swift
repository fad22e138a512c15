/// One resource of a publication, or a source itself; the Swift form of `ovl_resource`.
public struct ResourceInfo: Hashable, Sendable {
    /// Its HREF, such as `/OEBPS/content.opf`; nil for the source itself.
    public var href: String?
    /// nil if nothing tells it.
    public var mediaType: String?
    /// Bytes; nil if nobody knows yet.
    public var length: UInt64?
    /// Bytes it takes within its archive; as `length` if it is not compressed or not in an archive.
    public var storedLength: UInt64?

    /// A resource; nothing known of it by default.
    public init(
        href: String? = nil, mediaType: String? = nil, length: UInt64? = nil, storedLength: UInt64? = nil
    ) {
        self.href = href
        self.mediaType = mediaType
        self.length = length
        self.storedLength = storedLength
    }
}
