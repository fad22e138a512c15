/// A value that both sides changed in different ways. Nothing is lost: the losing value stays in the library.
public struct MergeConflict: Sendable, Hashable {
    /// The subject of a conflict.
    public enum Subject: Sendable, Hashable {
        /// A field of an entry, given by its name.
        case field(String)
        /// The type of an entry.
        case type
        /// The cite key of an entry.
        case key
        /// An entry that one side deleted and the other changed; it is kept.
        case deletion(MergeSide)
        /// Two entries with the same key; the device's entry has another key now.
        case twoEntries
        /// Several entries with the same key that cannot be told apart; all are kept.
        case ambiguousKey
        /// A block that could not be read on one side; both are kept.
        case damagedBlock
        /// A macro, given by its name.
        case macro(String)
        /// A group, given by its name.
        case group(String)
        /// A value of BibDesk's data about the document.
        case info(String)
        /// A comment; both are kept.
        case comment
        /// A preamble; both are kept.
        case preamble
        /// Text between entries or a comment in an entry; both are kept.
        case text
    }

    /// The cite key of the entry; empty if the conflict does not concern an entry.
    public let key: String
    /// The subject.
    public let subject: Subject
    /// The host's value.
    public let host: String
    /// The device's value.
    public let device: String
    /// The side whose value stays in place; nil if both are kept equally.
    public let winner: MergeSide?

    init(key: String, subject: Subject, host: String, device: String, winner: MergeSide? = nil) {
        (self.key, self.subject, self.host, self.device) = (key, subject, host, device)
        self.winner = winner
    }
}

/// A group that the merge changed on one side.
public struct GroupChange: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// The side whose library changes.
    public let side: MergeSide
    /// Its members or conditions before; nil if it is new on this side.
    public let old: String?
    /// Its members or conditions in the result; nil if it is removed.
    public let new: String?
}

/// An entry that the merge changed on one side or both.
public struct EntryChange: Sendable, Hashable {
    /// What happened to it.
    public enum Action: String, Sendable, Hashable {
        case added, changed, deleted
    }

    /// A field whose value on one side differs from the result.
    public struct Field: Sendable, Hashable {
        /// Its name in lower case.
        public let name: String
        /// The value before; nil if there was none.
        public let old: String?
        /// The value in the result; nil if there is none.
        public let new: String?

        /// Creates a field with both values.
        public init(name: String, old: String?, new: String?) {
            self.name = name
            self.old = old
            self.new = new
        }
    }

    /// The cite key in the result, or before the deletion.
    public let key: String
    /// The side whose library changes.
    public let side: MergeSide
    /// What happens to the entry on this side.
    public let action: Action
    /// The fields that change.
    public let fields: [Field]
}

/// What a merge did, besides its result.
public struct MergeReport: Sendable, Hashable {
    /// Changed entries, in the order of the result.
    public internal(set) var changes: [EntryChange] = []
    /// Changed groups, except the group of conflicts.
    public internal(set) var groups: [GroupChange] = []
    /// The conflicts.
    public internal(set) var conflicts: [MergeConflict] = []
    /// What the merge deletes: entries, macros, groups and other blocks.
    public internal(set) var tombstones: [Tombstone] = []
    /// Deletions that both sides have already made, so that nothing needs to be done.
    public internal(set) var deletedByBoth: [Tombstone] = []
    /// Items that one side deleted and the other keeps, because deletions do not propagate.
    public internal(set) var heldBack: [Tombstone] = []
    /// Renamed cite keys, from old to new.
    public internal(set) var renamed: [String: String] = [:]

    /// How many entries the merge deletes.
    public var deletedEntries: Int { tombstones.count { $0.kind == .entry } }

    /// The report of a merge with nothing to do.
    public init() {}
}
