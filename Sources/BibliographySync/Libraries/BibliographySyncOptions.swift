import BibTeX

/// The options of a sync.
public struct BibliographySyncOptions: Sendable {
    /// Whether deletions on one side apply to the other.
    public var deletes = false
    /// Whether a run continues even if it deletes more than `share`, or if a folder is suddenly empty.
    public var isForced = false
    /// The share of a library's entries, and of all papers, that a run may delete: 0 to 1.
    public var share = 0.25
    /// Whether the app reads links only in the form of BibDesk's archives, so that links are converted to it.
    public var readsArchivesOnly = true
    /// The encoding of a host file that is not UTF-8 and does not name its encoding.
    public var fallbackEncoding: BibTeXEncoding?
    /// Bytes to leave free on the device.
    public var reserve: UInt64 = 200 << 20
    /// Papers larger than this many bytes are not sent; nil means no limit.
    public var largestPaper: UInt64?
    /// Why papers are not sent to the device, as a sentence; nil if they are sent.
    public var papersStay: String?
    /// The day, such as `2026-07-18`, in the name of the device's version of a paper that both sides changed, and in
    /// tombstones.
    public var day: String

    /// Options with default values.
    public init(day: String) { self.day = day }
}
