import OverlayABI

/// A file to read on the device, the host or the web. The Swift form of `ovl_source`.
///
/// ```swift
/// let source = ContentSource.device(.documents, "/Documents/Emma.epub")
/// ```
public enum ContentSource: Hashable, Sendable {
    /// A file on the device, by root and path. It is read in ranges and never copied as a whole.
    case device(Root, String)
    /// A file of the host that was lent to the running method.
    case file(HostFile)
    /// Bytes in memory, with a name that provides the extension.
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

/// The overlay's information about the files. The Swift form of `ovl_sniff_hints`. The extension of a source's own
/// name is also a hint.
///
/// ```swift
/// let hints = SniffHints(mediaTypes: ["application/epub+zip"], extensions: ["epub"])
/// let format = try host.sniff.sniff(.device(.documents, "/Documents/download"), hints: hints)
/// ```
public struct SniffHints: Hashable, Sendable {
    /// Media types, for example that of a download.
    public var mediaTypes: [String]
    /// Extensions without a dot.
    public var extensions: [String]
    /// Whether to recognize only the 18 formats of the Readium proposal and those of the overlay.
    public var defaultFormatsOnly: Bool
    /// Whether to use only the content, and ignore names, extensions and media types.
    public var contentOnly: Bool

    /// Creates hints; there are none by default.
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

/// The result of sniffing a source. The Swift form of `ovl_format`.
///
/// ```swift
/// func name(for item: UploadItem, _ host: HostServices) throws(OverlayError) -> String {
///     let format = try host.sniff.sniff(.file(item.file))
///     guard let fileExtension = format.fileExtension else {
///         throw OverlayError(.unsupportedFormat, "The format of the book is unknown.", subject: item.name)
///     }
///     return "\(item.book.title ?? "Untitled").\(fileExtension)"
/// }
/// ```
public struct SniffResult: Hashable, Sendable {
    /// The way in which a format was recognized: `OVL_ROUND_…`. An open set.
    public struct Round: RawRepresentable, Hashable, Sendable {
        /// The number in the C contract.
        public var rawValue: UInt32

        /// Creates a round from its number in the C contract.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// No format was recognized.
        public static let none = Round(rawValue: OVL_ROUND_NONE)
        /// Recognized by hints only; nothing was read.
        public static let light = Round(rawValue: OVL_ROUND_LIGHT)
        /// Recognized by content.
        public static let heavy = Round(rawValue: OVL_ROUND_HEAVY)
    }

    /// The canonical media type; nil, like the next three values, if the format is unknown.
    public var mediaType: String?
    /// The name of the format for display.
    public var name: String?
    /// The usual extension, without a dot.
    public var fileExtension: String?
    /// The name of the sniffer that recognized the format.
    public var sniffer: String?
    /// The way in which the format was recognized.
    public var round: Round
    /// The number of bytes that were read from the source.
    public var bytesRead: UInt64

    /// Creates a result; an unknown format by default.
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

/// A sniffer of the overlay, described as data, that recognizes one format. The Swift form of `ovl_sniffer`.
///
/// ```swift
/// let sniffer = FormatSniffer(
///     mediaType: "application/x-boat", name: "Boat", fileExtension: "boat",
///     rules: [.magic(Array("BOAT".utf8))])
/// ```
public struct FormatSniffer: Hashable, Sendable {
    /// A rule for the content of a source. The Swift form of `ovl_sniff_rule`.
    public enum Rule: Hashable, Sendable {
        /// The source contains these bytes (at most 4,096) at an offset (at most 65,536).
        case magic([UInt8], offset: UInt64 = 0)
        /// The root element of an XML source has this name, in this namespace (nil: in any).
        case xmlRoot(String, namespace: String? = nil)
        /// The source is a JSON object with this member. With `equals`, the member must be this text.
        case jsonMember(String, equals: String? = nil)
        /// The source is a ZIP archive with this entry. With `beginsWith`, the entry must begin with these bytes.
        case zipEntry(String, beginsWith: [UInt8]? = nil)
    }

    /// The canonical media type of the format.
    public var mediaType: String
    /// The name of the format for display.
    public var name: String
    /// The usual extension, without a dot.
    public var fileExtension: String
    /// Additional extensions that identify the format without reading the content.
    public var extensions: [String]
    /// Additional media types that identify the format without reading the content.
    public var mediaTypes: [String]
    /// The rules that must all be met to recognize the format by content. If there are none, content does not
    /// identify it.
    public var rules: [Rule]

    /// Creates a sniffer for one format.
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

/// A resource of a publication, or a source itself. The Swift form of `ovl_resource`.
///
/// ```swift
/// func bytesOfImages(in book: ContentSource, _ host: HostServices) throws(OverlayError) -> UInt64 {
///     let images = try host.fetch.links(book).filter { $0.mediaType?.hasPrefix("image/") == true }
///     return images.map { $0.length ?? 0 }.reduce(0, +)
/// }
/// ```
public struct ResourceInfo: Hashable, Sendable {
    /// The HREF, such as `/OEBPS/content.opf`; nil for the source itself.
    public var href: String?
    /// The media type; nil if unknown.
    public var mediaType: String?
    /// The size in bytes; nil if unknown.
    public var length: UInt64?
    /// The size in its archive in bytes. The same as `length` if the resource is not compressed or not in an archive.
    public var storedLength: UInt64?

    /// Creates a resource; all values are unknown by default.
    public init(
        href: String? = nil, mediaType: String? = nil, length: UInt64? = nil, storedLength: UInt64? = nil
    ) {
        self.href = href
        self.mediaType = mediaType
        self.length = length
        self.storedLength = storedLength
    }
}

/// The metadata in a book. The Swift form of `ovl_metadata`.
///
/// ```swift
/// func title(of book: ContentSource, _ host: HostServices) throws(OverlayError) -> String {
///     let metadata = try host.metadata.read(book)
///     for shortcoming in metadata.shortcomings { host.log.notice("books", shortcoming) }
///     return metadata.book.title ?? metadata.identifiers.first ?? "Untitled"
/// }
/// ```
public struct BookMetadata: Hashable, Sendable {
    /// The book; `path` and `collections` are nil. Contains the bytes of the cover only if they were requested.
    public var book: Book
    /// The languages as BCP 47 tags.
    public var languages: [String]
    /// The identifiers as `scheme:value`, such as `isbn:9780141439518`, or only the value if there is no scheme.
    public var identifiers: [String]
    /// The parts that could not be read, one sentence each. Empty for an intact book.
    public var shortcomings: [String]
    /// The number of pages; nil if unknown.
    public var pages: UInt64?
    /// The number of bytes that were read from the source.
    public var bytesRead: UInt64

    /// Creates the metadata of a book.
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
