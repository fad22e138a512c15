public import Archives
public import FoundationEssentials
public import JSON

extension Format {
    /// What a sniffer can ask: the hints, and lazy views of the content that all sniffers of one guess share.
    ///
    /// Every view is made at most once, also when it turns out to be nil. A context belongs to one guess and one
    /// thread; a sniffer must not keep it. A type of one's own needs only the members without a default.
    public protocol SnifferContext: AnyObject {
        /// The media type hints as they were given.
        var mediaTypes: [String] { get }

        /// The file extension hints as they were given, before them the one of the path if there is a path.
        var fileExtensions: [String] { get }

        /// The same hints, normalised once. The default normalises at every call.
        var hints: SnifferHints { get }

        /// Whether there is content to inspect; without any there is no heavy round. True by default.
        var hasContent: Bool { get }

        /// The content as text, without byte order mark; nil if it is longer than 16 MiB or cannot be decoded.
        var contentAsString: String? { get }

        /// The content as JSON; nil unless it is an object of at most 16 MiB.
        var contentAsJson: JSONObject? { get }

        /// The root element of the content; nil unless an XML root's start tag is found in the first 64 KiB.
        var contentAsXml: XmlDocument? { get }

        /// The content as a ZIP archive, opened by its directory alone.
        var contentAsZip: ZipArchive? { get }

        /// What precedes and opens the root element, also of HTML that is no XML. By default from `contentAsXml`.
        var markupStart: MarkupStart? { get }

        /// What the rules ask of a JSON document, read no further than they need. By default read at every call.
        var jsonOutline: JSONOutline? { get }

        /// The same of the entry `manifest.json` of an archive. By default read at every call.
        var archiveManifest: JSONOutline? { get }

        /// The bytes of a range, fewer at the end of the content; nil if there is no content or it cannot be read.
        func read(_ range: Range<Int64>) -> Data?

        /// Whether the content begins with these bytes. By default asks `read(_:)`.
        func contentBegins(with bytes: [UInt8]) -> Bool

        /// A new stream at the start of the content, which the caller closes.
        func stream() -> ContentStream?

        /// Releases what the context holds open; its views are nil from then on. A second call does nothing.
        func close()

        /// Bytes of the content that were looked at so far. 0 by default.
        var bytesRead: Int64 { get }

        /// Why content could not be read. Nil by default.
        var readError: ByteSourceError? { get }

        /// Why content that begins like an archive cannot be opened as one, once a sniffer asked. Nil by default.
        var damage: ArchiveError? { get }
    }
}
