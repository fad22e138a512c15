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
    }

    init(_ macro: MacroMerger.Deletion) {
        (kind, key, side, text) = (.macro, macro.name, macro.side, macro.definition)
    }

    init(_ deletion: GroupMerger.Deletion) {
        (kind, key, side) = (.group, deletion.group.name, deletion.side)
        var document = BibTeXDocument()
        document.setGroups(deletion.group.kind, [deletion.group])
        text = document.bytes
    }
}
