/// What both sides changed, each in its own way. Nothing of it is lost: the losing value stays in the library.
public struct MergeConflict: Sendable, Hashable {
    /// What the conflict is about.
    public enum Subject: Sendable, Hashable {
        /// A field of an entry, by its name.
        case field(String)
        /// The type of an entry.
        case type
        /// The cite key of an entry.
        case key
        /// An entry that one side deleted and the other changed: it stays.
        case deletion(MergeSide)
        /// Two entries of one key: the device's has another key now.
        case twoEntries
        /// Several entries of one key that cannot be told apart: all stay.
        case ambiguousKey
        /// A block that could not be read on one side: both stay.
        case damagedBlock
        /// A macro, by its name.
        case macro(String)
        /// A group, by its name.
        case group(String)
        /// A value that BibDesk notes on the document.
        case info(String)
        /// A comment: both stay.
        case comment
        /// A preamble: both stay.
        case preamble
        /// Text between entries, or a comment in an entry: both stay.
        case text
    }

    /// The cite key of the entry; empty if it is about no entry.
    public let key: String
    /// What it is about.
    public let subject: Subject
    /// What the host has.
    public let host: String
    /// What the device has.
    public let device: String
    /// Whose value stays in its place; nil if both stay alike.
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
    /// Whose library changes.
    public let side: MergeSide
    /// Its members or conditions before; nil if it is new there.
    public let old: String?
    /// Its members or conditions in the result; nil if it goes.
    public let new: String?
}

/// An entry that the merge changed on one side or both.
public struct EntryChange: Sendable, Hashable {
    /// What happened to it.
    public enum Action: String, Sendable, Hashable {
        case added, changed, deleted
    }

    /// One field that is another on one side than in the result.
    public struct Field: Sendable, Hashable {
        /// Its name in lower case.
        public let name: String
        /// The value on the side before; nil if it had none.
        public let old: String?
        /// The value in the result; nil if it has none.
        public let new: String?

        /// A field with both values.
        public init(name: String, old: String?, new: String?) {
            self.name = name
            self.old = old
            self.new = new
        }
    }

    /// The cite key in the result, or before the deletion.
    public let key: String
    /// Whose library changes.
    public let side: MergeSide
    /// What happens to the entry there.
    public let action: Action
    /// The fields that change.
    public let fields: [Field]
}

/// What a merge did, beside its result.
public struct MergeReport: Sendable, Hashable {
    /// Entries that change, in the order of the result.
    public internal(set) var changes: [EntryChange] = []
    /// Groups that change, except that of conflicts.
    public internal(set) var groups: [GroupChange] = []
    /// What both sides changed.
    public internal(set) var conflicts: [MergeConflict] = []
    /// What is deleted: entries, macros, groups and other blocks.
    public internal(set) var tombstones: [Tombstone] = []
    /// What both sides deleted already, so that nothing is left to do about it.
    public internal(set) var deletedByBoth: [Tombstone] = []
    /// What one side deleted and the other keeps, because deletions were not to travel.
    public internal(set) var heldBack: [Tombstone] = []
    /// Cite keys that are others now: the old key and the new one.
    public internal(set) var renamed: [String: String] = [:]

    /// How many entries the merge deletes.
    public var deletedEntries: Int { tombstones.count { $0.kind == .entry } }

    /// The report of a merge with nothing to do.
    public init() {}
}
