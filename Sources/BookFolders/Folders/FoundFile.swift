/// A file that a walk has found, or a folder that stands for one, such as an unpacked `.epub`.
public struct FoundFile: Hashable, Sendable {
    /// One file within a folder that stands for a book.
    public struct Part: Hashable, Sendable {
        /// Path within the package, such as `META-INF/container.xml`.
        public var path: String
        /// Bytes.
        public var size: UInt64
    }

    /// Where it is.
    public var path: ShelfPath
    /// Bytes; of a package those of all its parts.
    public var size: UInt64
    /// When the content changed, in nanoseconds since 1970-01-01 00:00 UTC; of a package the latest of its parts.
    public var modified: Int64
    /// When it was made, in nanoseconds since 1970-01-01 00:00 UTC.
    public var created: Int64
    /// The parts of a package in the order of their paths; nil for a plain file.
    public var parts: [Part]?

    /// A file.
    public init(path: ShelfPath, size: UInt64, modified: Int64, created: Int64 = 0, parts: [Part]? = nil) {
        self.path = path
        self.size = size
        self.modified = modified
        self.created = created
        self.parts = parts
    }

    /// Whether it is a folder that stands for a book.
    public var isPackage: Bool { parts != nil }
}
