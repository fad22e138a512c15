import BibTeX

/// What a side deleted, with all that it held.
public struct Tombstone: Sendable, Hashable {
    /// What a tombstone stands for.
    public enum Kind: Sendable, Hashable {
        case entry, macro, group, preamble, comment
        /// What BibDesk notes on the document.
        case info
    }

    /// What it was.
    public let kind: Kind
    /// The cite key of an entry, and the name of a macro or group; empty for others.
    public let key: String
    /// Whose deletion it was.
    public let side: MergeSide
    /// How it was written, from its `@` on; of a group its name and members.
    public let text: [UInt8]
    /// The encoding of `text`.
    public let encoding: BibTeXEncoding

    /// A tombstone of a whole block.
    init(_ block: BibTeXBlock, _ side: MergeSide) {
        kind =
            switch block.kind {
            case .entry: .entry
            case .string: .macro
            case .preamble: .preamble
            case .info: .info
            case .comment, .text: .comment
            }
        key = block.key ?? ""
        self.side = side
        text = Array(block.body)
        encoding = block.encoding
    }

    /// A tombstone of a part of a block, in UTF-8.
    init(_ kind: Kind, _ key: String, _ side: MergeSide, _ text: [UInt8]) {
        (self.kind, self.key, self.side, self.text) = (kind, key, side, text)
        encoding = .utf8
    }
}
