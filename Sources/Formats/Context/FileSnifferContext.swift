import Archives
import Glibc

extension Format {
    /// The context of a file; its extension is a hint, and the file is not touched before the heavy round.
    public final class FileSnifferContext: ContentSnifferContext {
        /// The path of the file, which need not exist.
        public let path: String

        /// A context of a path and hints from elsewhere.
        public init(path: String, mediaTypes: [String] = [], fileExtensions: [String] = []) {
            self.path = path
            super.init(
                hints: SnifferHints(fileExtensions: fileExtensions, mediaTypes: mediaTypes, path: path))
        }

        override func openContent() throws(ByteSourceError) -> SniffedContent? {
            // A C string would end at the NUL and name another file.
            guard !path.utf8.contains(0) else {
                throw ByteSourceError(.notFound, "The path contains a NUL.", subject: path)
            }
            // Asked before opening, because opening alone wakes some devices and pipes.
            var status = stat()
            guard stat(path, &status) == 0 else { throw ByteSourceError(errno: errno, subject: path) }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw ByteSourceError(.notFound, "This is not a regular file.", subject: path)
            }
            let path = path
            let source = SniffedSource(try FileByteSource(path: path), ownsBase: true) {
                // A file that is gone by now has no stream, which is what nil says.
                do throws(ByteSourceError) { return try FileByteSource(path: path) } catch { return nil }
            }
            return SniffedContent(source)
        }
    }
}
