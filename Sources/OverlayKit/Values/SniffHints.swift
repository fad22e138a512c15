/// What is known of files from elsewhere; the Swift form of `ovl_sniff_hints`. The extension of a source's own name is
/// a hint too.
public struct SniffHints: Hashable, Sendable {
    /// Media types, such as that of a download.
    public var mediaTypes: [String]
    /// Extensions without a dot.
    public var extensions: [String]
    /// Whether no more than the 18 formats of the Readium proposal and the overlay's own are known.
    public var defaultFormatsOnly: Bool
    /// Whether the content alone decides: names, extensions and media types are left aside.
    public var contentOnly: Bool

    /// Hints; none by default.
    public init(
        mediaTypes: [String] = [], extensions: [String] = [], defaultFormatsOnly: Bool = false,
        contentOnly: Bool = false
    ) {
        self.mediaTypes = mediaTypes
        self.extensions = extensions
        self.defaultFormatsOnly = defaultFormatsOnly
        self.contentOnly = contentOnly
    }
}
