public import Archives

extension Format {
    /// The context of any source of bytes, such as a file on a device or a resource of a server.
    ///
    /// Reads ranges of it and never closes it.
    public final class SourceSnifferContext: ContentSnifferContext {
        private let source: any ByteSource

        /// A context of a source and hints.
        public init(source: any ByteSource, mediaTypes: [String] = [], fileExtensions: [String] = []) {
            self.source = source
            super.init(hints: SnifferHints(fileExtensions: fileExtensions, mediaTypes: mediaTypes))
        }

        override func openContent() throws(ByteSourceError) -> SniffedContent? {
            let source = source
            return SniffedContent(SniffedSource(source, ownsBase: false) { source })
        }
    }
}
