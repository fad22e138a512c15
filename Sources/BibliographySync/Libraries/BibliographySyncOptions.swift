import BibTeX

/// How a sync is to work.
public struct BibliographySyncOptions: Sendable {
    /// Whether deletions of one side travel to the other.
    public var deletes = false
    /// Whether a run goes on that deletes more than its share, or whose folder is suddenly empty.
    public var isForced = false
    /// The share of a library's entries, and of all papers, that a run may delete: 0 to 1.
    public var share = 0.25
    /// Whether the app reads links only in the form of BibDesk's own archives, so that they are put in it.
    public var readsArchivesOnly = true
    /// The encoding of a host's file that is not UTF-8 and does not say what it is.
    public var fallbackEncoding: BibTeXEncoding?
    /// Bytes that stay free on the device.
    public var reserve: UInt64 = 200 << 20
    /// Papers larger than this are not sent; nil: no limit.
    public var largestPaper: UInt64?
    /// Why no paper is sent to the device, as a sentence; nil: papers are sent.
    public var papersStay: String?
    /// The day that names the device's version of a paper which both sides changed, as `2026-07-18`; and that of tombstones.
    public var day: String

    /// Options with their defaults.
    public init(day: String) { self.day = day }
}
