/// A file that a walk has found, or a folder that is a single book, such as an unpacked `.epub`.
public struct FoundFile: Hashable, Sendable {
    /// A file in a folder that is a single book.
    public struct Part: Hashable, Sendable {
        /// The path within the package, such as `META-INF/container.xml`.
        public var path: String
        /// The size in bytes.
        public var size: UInt64
    }

    /// The path.
    public var path: ShelfPath
    /// The size in bytes; for a package, the total of its parts.
    public var size: UInt64
    /// When the content changed, in nanoseconds since 1970-01-01 00:00 UTC; for a package, the latest time of its
    /// parts.
    public var modified: Int64
    /// When it was created, in nanoseconds since 1970-01-01 00:00 UTC.
    public var created: Int64
    /// The parts of a package, sorted by path; nil for a plain file.
    public var parts: [Part]?

    /// Creates a found file with these values.
    public init(path: ShelfPath, size: UInt64, modified: Int64, created: Int64 = 0, parts: [Part]? = nil) {
        self.path = path
        self.size = size
        self.modified = modified
        self.created = created
        self.parts = parts
    }

    /// Whether it is a folder that is a single book.
    public var isPackage: Bool { parts != nil }
}
