import BibTeX

/// An item that one side deleted, with all its content.
public struct Tombstone: Sendable, Hashable {
    /// The kind of deleted item.
    public enum Kind: Sendable, Hashable {
        case entry, macro, group, preamble, comment
        /// BibDesk's data about the document.
        case info
    }

    /// The kind of item.
    public let kind: Kind
    /// The cite key of an entry, or the name of a macro or group; empty for other items.
    public let key: String
    /// The side that deleted it.
    public let side: MergeSide
    /// Its text from the `@` on; for a group, its name and members.
    public let text: [UInt8]
    /// The encoding of `text`.
    public let encoding: BibTeXEncoding

    /// Creates a tombstone of a whole block.
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

    /// Creates a tombstone of a part of a block, in UTF-8.
    init(_ kind: Kind, _ key: String, _ side: MergeSide, _ text: [UInt8]) {
        (self.kind, self.key, self.side, self.text) = (kind, key, side, text)
        encoding = .utf8
    }
}
