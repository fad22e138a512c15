public import Archives
public import FoundationEssentials
public import JSON

extension Format {
    /// The common part of the four kinds of context: normalized hints, and content that is opened on first use.
    public class ContentSnifferContext: SnifferContext {
        /// The hints, normalized once.
        public let hints: SnifferHints
        private var isClosed = false
        private var opened: SniffedContent?
        private var isOpened = false

        init(hints: SnifferHints) { self.hints = hints }

        /// Opens the content to inspect.
        func openContent() throws(ByteSourceError) -> SniffedContent? { nil }

        /// The reason why the content could not be opened or read.
        public var readError: ByteSourceError? { openingError ?? opened?.source.readError }
        private var openingError: ByteSourceError?

        /// The content, which is opened at the first call.
        private var content: SniffedContent? {
            if isOpened { return opened }
            guard !isClosed else { return nil }
            isOpened = true
            do throws(ByteSourceError) {
                opened = try openContent()
            } catch {
                openingError = error
            }
            return opened
        }

        /// The media type hints as given.
        public var mediaTypes: [String] { hints.mediaTypes }
        /// The extension hints as given, preceded by the extension of the path.
        public var fileExtensions: [String] { hints.fileExtensions }
        /// Whether there is content to inspect.
        public var hasContent: Bool { true }

        /// The content as text, in the encoding of its byte order mark or of the hints' charset, or else in UTF-8.
        public var contentAsString: String? { content?.text(charset: hints.charset) }
        /// The content as a JSON object.
        public var contentAsJson: JSONObject? { content?.json }
        /// The root element of the content.
        public var contentAsXml: XmlDocument? { content?.xml }
        /// The content as a ZIP archive.
        public var contentAsZip: ZipArchive? { content?.zip }
        /// The document type and the start tag of the root element.
        public var markupStart: MarkupStart? { content?.markup }
        /// The facts about a JSON document that the rules need.
        public var jsonOutline: JSONOutline? { content?.outline }
        /// The same facts about the archive's `manifest.json`.
        public var archiveManifest: JSONOutline? { content?.archiveManifest }

        /// The bytes of a range; fewer at the end of the content.
        public func read(_ range: Range<Int64>) -> Data? { content?.source.data(range) }

        /// Whether the content begins with these bytes.
        public func contentBegins(with bytes: [UInt8]) -> Bool {
            content?.source.begins(with: bytes) ?? false
        }

        /// A new stream at the start of the content.
        public func stream() -> ContentStream? { content?.source.stream() }

        /// Releases the content. All views are nil afterwards.
        public func close() {
            guard !isClosed else { return }
            isClosed = true
            isOpened = true
            guard let content = opened else { return }
            countedBytes = content.source.bytesRead
            openingError = openingError ?? content.source.readError
            foundDamage = content.damage
            content.close()
            opened = nil
        }

        /// The number of bytes of the content that were read so far.
        public var bytesRead: Int64 { opened?.source.bytesRead ?? countedBytes }
        private var countedBytes: Int64 = 0

        /// The reason why content that begins like an archive cannot be opened as one. Available after a sniffer used
        /// the archive.
        public var damage: ArchiveError? { opened?.damage ?? foundDamage }
        private var foundDamage: ArchiveError?
    }
}
