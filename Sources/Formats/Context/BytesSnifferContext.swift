import Archives
public import FoundationEssentials

extension Format {
    /// The context of bytes that a closure fetches, at most once and only for the heavy round.
    public final class BytesSnifferContext: ContentSnifferContext {
        private var bytes: (() -> Data)?

        /// A context of bytes and hints.
        public init(
            bytes: @escaping () -> Data, mediaTypes: [String] = [], fileExtensions: [String] = []
        ) {
            self.bytes = bytes
            super.init(hints: SnifferHints(fileExtensions: fileExtensions, mediaTypes: mediaTypes))
        }

        override func openContent() throws(ByteSourceError) -> SniffedContent? {
            guard let fetch = bytes else { return nil }
            bytes = nil
            let source = DataByteSource(fetch())
            return SniffedContent(SniffedSource(source, ownsBase: false) { source })
        }

        /// Releases the bytes.
        public override func close() {
            bytes = nil
            super.close()
        }
    }
}
