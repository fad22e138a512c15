public import Archives
public import FoundationEssentials
import Glibc

extension Format {
    /// The context of a file. Its extension is a hint, and the file is not accessed before the heavy round.
    public final class FileSnifferContext: ContentSnifferContext {
        /// The path of the file, which need not exist.
        public let path: String

        /// Creates a context of a path and additional hints.
        public init(path: String, mediaTypes: [String] = [], fileExtensions: [String] = []) {
            self.path = path
            super.init(
                hints: SnifferHints(fileExtensions: fileExtensions, mediaTypes: mediaTypes, path: path))
        }

        override func openContent() throws(ByteSourceError) -> SniffedContent? {
            // A C string would end at the NUL and name a different file.
            guard !path.utf8.contains(0) else {
                throw ByteSourceError(.notFound, "The path contains a NUL.", subject: path)
            }
            // Checked before opening, because opening some devices and pipes has side effects.
            var status = stat()
            guard stat(path, &status) == 0 else { throw ByteSourceError(errno: errno, subject: path) }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw ByteSourceError(.notFound, "This is not a regular file.", subject: path)
            }
            let path = path
            let source = SniffedSource(try FileByteSource(path: path), ownsBase: true) {
                // A file that no longer exists has no stream, so return nil.
                do throws(ByteSourceError) { return try FileByteSource(path: path) } catch { return nil }
            }
            return SniffedContent(source)
        }
    }
}

extension Format {
    /// The context of bytes that a closure supplies, at most once and only for the heavy round.
    public final class BytesSnifferContext: ContentSnifferContext {
        private var bytes: (() -> Data)?

        /// Creates a context of bytes and hints.
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

extension Format {
    /// The context of any byte source, such as a file on a device or a resource on a server.
    ///
    /// It reads ranges of the source and never closes it.
    public final class SourceSnifferContext: ContentSnifferContext {
        private let source: any ByteSource

        /// Creates a context of a source and hints.
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

extension Format {
    /// The context of hints only. All views of its content are nil, and there is no heavy round.
    public final class MetadataSnifferContext: ContentSnifferContext {
        /// Creates a context of hints.
        public init(mediaTypes: [String] = [], fileExtensions: [String] = []) {
            super.init(hints: SnifferHints(fileExtensions: fileExtensions, mediaTypes: mediaTypes))
        }

        /// False, because there is no content.
        public override var hasContent: Bool { false }
    }
}
