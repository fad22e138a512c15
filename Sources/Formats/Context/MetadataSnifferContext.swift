extension Format {
    /// The context of hints alone; every view of its content is nil and there is no heavy round.
    public final class MetadataSnifferContext: ContentSnifferContext {
        /// A context of hints.
        public init(mediaTypes: [String] = [], fileExtensions: [String] = []) {
            super.init(hints: SnifferHints(fileExtensions: fileExtensions, mediaTypes: mediaTypes))
        }

        /// False.
        public override var hasContent: Bool { false }
    }
}
