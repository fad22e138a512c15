/// How much a guess may read (format reference, section 4).
enum SniffLimits {
    /// Read at first: enough for nearly every rule, and one page of memory.
    static let firstLook = 4 << 10
    /// The most that is read of content that is neither an archive nor JSON.
    static let head = 64 << 10
    /// The most that is kept of what is read besides the head, so that nothing of it is read twice.
    static let kept = 256 << 10
    /// Read at once of a JSON document that is longer than the head.
    static let chunk = 256 << 10
    /// The longest text or JSON document that is read.
    static let document = 16 << 20
    /// The most that is read of an archive's `mimetype`.
    static let mimetype = 64
}
