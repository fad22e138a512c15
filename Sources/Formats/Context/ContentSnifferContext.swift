public import Archives
public import FoundationEssentials
public import JSON

extension Format {
    /// What the four kinds of context share: normalised hints, and content that is opened when first looked at.
    public class ContentSnifferContext: SnifferContext {
        /// The hints, normalised once.
        public let hints: SnifferHints
        private var isClosed = false
        private var opened: SniffedContent?
        private var isOpened = false

        init(hints: SnifferHints) { self.hints = hints }

        /// Opens what is to be inspected.
        func openContent() throws(ByteSourceError) -> SniffedContent? { nil }

        /// Why content could not be opened or read.
        public var readError: ByteSourceError? { openingError ?? opened?.source.readError }
        private var openingError: ByteSourceError?

        /// The content, opened at the first call.
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

        /// The media type hints as they were given.
        public var mediaTypes: [String] { hints.mediaTypes }
        /// The extension hints as they were given, before them the one of the path.
        public var fileExtensions: [String] { hints.fileExtensions }
        /// Whether there is anything to inspect.
        public var hasContent: Bool { true }

        /// The content as text: what the hints' charset or a byte order mark says, else UTF-8.
        public var contentAsString: String? { content?.text(charset: hints.charset) }
        /// The content as a JSON object.
        public var contentAsJson: JSONObject? { content?.json }
        /// The root element of the content.
        public var contentAsXml: XmlDocument? { content?.xml }
        /// The content as a ZIP archive.
        public var contentAsZip: ZipArchive? { content?.zip }
        /// What precedes and opens the root element.
        public var markupStart: MarkupStart? { content?.markup }
        /// What the rules ask of a JSON document.
        public var jsonOutline: JSONOutline? { content?.outline }
        /// The same of the archive's `manifest.json`.
        public var archiveManifest: JSONOutline? { content?.archiveManifest }

        /// The bytes of a range, fewer at the end.
        public func read(_ range: Range<Int64>) -> Data? { content?.source.data(range) }

        /// Whether the content begins with these bytes.
        public func contentBegins(with bytes: [UInt8]) -> Bool {
            content?.source.begins(with: bytes) ?? false
        }

        /// A new stream at the start of the content.
        public func stream() -> ContentStream? { content?.source.stream() }

        /// Releases the content; views are nil from then on.
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

        /// Bytes of the content that were looked at so far.
        public var bytesRead: Int64 { opened?.source.bytesRead ?? countedBytes }
        private var countedBytes: Int64 = 0

        /// Why content that begins like an archive cannot be opened as one, once a sniffer asked.
        public var damage: ArchiveError? { opened?.damage ?? foundDamage }
        private var foundDamage: ArchiveError?
    }
}
