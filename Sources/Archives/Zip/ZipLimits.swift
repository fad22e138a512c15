/// Bounds of what a ZIP archive may ask for (fetcher reference 9.3).
public struct ZipLimits: Sendable {
    /// Files and folders of an archive in ZIP64 format; without it there are at most 65,535.
    public var entries = 1_000_000
    /// Bytes of all names together.
    public var nameBytes = 64 << 20
    /// Bytes of the central directory, which is kept in memory.
    public var directoryBytes = 256 << 20
    /// Declared bytes per byte in the archive; deflate cannot exceed about 1,032.
    public var ratio: Int64 = 1100
    /// Bytes of an entry that is read as a whole. Ranges of larger ones can be read.
    public var wholeEntry: Int64 = 1 << 30
    /// Bytes of a deflated entry up to which a reader keeps the whole content.
    public var keptEntry: Int64 = 1 << 20

    /// The usual bounds.
    public init() {}
}
