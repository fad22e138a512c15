import OverlayABI

/// A file to look into, on the device, the host or the web; the Swift form of `ovl_source`.
///
///     let source = ContentSource.device(.documents, "/Documents/Emma.epub")
public enum ContentSource: Hashable, Sendable {
    /// A file on the device, by place and path. It is read in ranges and never copied as a whole.
    case device(Root, String)
    /// A file of the host that was lent to the running method.
    case file(HostFile)
    /// Bytes in memory, and the name they go by, for its extension.
    case bytes([UInt8], name: String? = nil)
    /// A file behind an `http` or `https` URL.
    case url(String)

    /// The subject of errors about the source; nil if it has no name.
    package var subject: String? {
        switch self {
        case .device(_, let path): path
        case .file: nil
        case .bytes(_, let name): name
        case .url(let url): url
        }
    }
}

/// What the overlay knows about the files; the Swift form of `ovl_sniff_hints`. The extension of a source's
/// own name is a hint too.
public struct SniffHints: Hashable, Sendable {
    /// Media types, such as that of a download.
    public var mediaTypes: [String]
    /// Extensions without a dot.
    public var extensions: [String]
    /// Whether only the 18 formats of the Readium proposal and the overlay's own are recognised.
    public var defaultFormatsOnly: Bool
    /// Whether only the content decides; names, extensions and media types are ignored.
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

/// What sniffing a source gave; the Swift form of `ovl_format`.
public struct SniffResult: Hashable, Sendable {
    /// How a format was recognised: `OVL_ROUND_…`. An open set.
    public struct Round: RawRepresentable, Hashable, Sendable {
        /// The number in the C contract.
        public var rawValue: UInt32

        /// A round by its number in the C contract.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// No format was recognised.
        public static let none = Round(rawValue: OVL_ROUND_NONE)
        /// By hints alone; nothing was read.
        public static let light = Round(rawValue: OVL_ROUND_LIGHT)
        /// By content.
        public static let heavy = Round(rawValue: OVL_ROUND_HEAVY)
    }

    /// The canonical media type; nil, like the next three values, if the format is not known.
    public var mediaType: String?
    /// The format's name, for a person.
    public var name: String?
    /// Its usual extension, without a dot.
    public var fileExtension: String?
    /// Name of the sniffer that recognised it.
    public var sniffer: String?
    /// How it was recognised.
    public var round: Round
    /// Bytes that were read of the source.
    public var bytesRead: UInt64

    /// A result; an unknown format by default.
    public init(
        mediaType: String? = nil, name: String? = nil, fileExtension: String? = nil, sniffer: String? = nil,
        round: Round = .none, bytesRead: UInt64 = 0
    ) {
        self.mediaType = mediaType
        self.name = name
        self.fileExtension = fileExtension
        self.sniffer = sniffer
        self.round = round
        self.bytesRead = bytesRead
    }
}

/// A sniffer of the overlay's own, as data: it recognises one format; the Swift form of `ovl_sniffer`.
///
///     let sniffer = FormatSniffer(
///         mediaType: "application/x-boat", name: "Boat", fileExtension: "boat",
///         rules: [.magic(Array("BOAT".utf8))])
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
    /// Further extensions that decide without reading the content.
    public var extensions: [String]
    /// Further media types that decide without reading the content.
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

/// One resource of a publication, or a source itself; the Swift form of `ovl_resource`.
public struct ResourceInfo: Hashable, Sendable {
    /// Its HREF, such as `/OEBPS/content.opf`; nil for the source itself.
    public var href: String?
    /// Media type; nil if unknown.
    public var mediaType: String?
    /// Bytes; nil if unknown.
    public var length: UInt64?
    /// Bytes it takes within its archive; as `length` if it is not compressed or not in an archive.
    public var storedLength: UInt64?

    /// A resource; nothing known about it by default.
    public init(
        href: String? = nil, mediaType: String? = nil, length: UInt64? = nil, storedLength: UInt64? = nil
    ) {
        self.href = href
        self.mediaType = mediaType
        self.length = length
        self.storedLength = storedLength
    }
}

/// The metadata inside a book; the Swift form of `ovl_metadata`.
public struct BookMetadata: Hashable, Sendable {
    /// The book; `path` and `collections` are nil. The cover's bytes are there only if they were asked for.
    public var book: Book
    /// BCP 47 tags.
    public var languages: [String]
    /// `scheme:value`, such as `isbn:9780141439518`; the bare value if it has no scheme.
    public var identifiers: [String]
    /// What could not be read: one sentence each. Empty for a sound book.
    public var shortcomings: [String]
    /// Pages; nil if unknown.
    public var pages: UInt64?
    /// Bytes that were read of the source.
    public var bytesRead: UInt64

    /// What is known about a book.
    public init(
        book: Book, languages: [String] = [], identifiers: [String] = [], shortcomings: [String] = [],
        pages: UInt64? = nil, bytesRead: UInt64 = 0
    ) {
        self.book = book
        self.languages = languages
        self.identifiers = identifiers
        self.shortcomings = shortcomings
        self.pages = pages
        self.bytesRead = bytesRead
    }
}
