/// A sniffer of the overlay's own, as data: it recognises one format; the Swift form of `ovl_sniffer`.
public struct FormatSniffer: Hashable, Sendable {
    /// One thing to look for in the content of a source; the Swift form of `ovl_sniff_rule`.
    public enum Rule: Hashable, Sendable {
        /// The source has these bytes (4,096 at most) at an offset (65,536 at most).
        case magic([UInt8], offset: UInt64 = 0)
        /// The root element of an XML source has this name, in this namespace (nil: in any).
        case xmlRoot(String, namespace: String? = nil)
        /// The source is a JSON object with this member; with `equals`, that member is this text.
        case jsonMember(String, equals: String? = nil)
        /// The source is a ZIP archive with this entry; with `beginsWith`, the entry begins so.
        case zipEntry(String, beginsWith: [UInt8]? = nil)
    }

    /// The canonical media type of the format.
    public var mediaType: String
    /// The format's name, for a person.
    public var name: String
    /// Its usual extension, without a dot.
    public var fileExtension: String
    /// Further extensions that decide without a look at the content.
    public var extensions: [String]
    /// Further media types that decide without a look at the content.
    public var mediaTypes: [String]
    /// The format is recognised by content if there are rules and each of them applies.
    public var rules: [Rule]

    /// A sniffer of one format.
    public init(
        mediaType: String, name: String, fileExtension: String, extensions: [String] = [],
        mediaTypes: [String] = [], rules: [Rule] = []
    ) {
        self.mediaType = mediaType
        self.name = name
        self.fileExtension = fileExtension
        self.extensions = extensions
        self.mediaTypes = mediaTypes
        self.rules = rules
    }
}
