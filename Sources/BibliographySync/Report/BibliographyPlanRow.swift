/// What a sync does with an entry, a bibliography or a paper.
public enum BibliographyAction: String, Sendable, Hashable, CaseIterable {
    /// Adds the item to a side that did not have it.
    case add
    /// Changes an entry or a bibliography.
    case update
    /// Replaces an earlier version of a paper.
    case replace
    /// Removes the item from a side.
    case remove
    /// Leaves the item unchanged; the reason explains why the row is shown.
    case keep
    /// Both sides changed the item; all changes are kept.
    case conflict
}

/// One row of the plan of a sync.
public struct BibliographyPlanRow: Sendable, Equatable {
    /// The action.
    public var action: BibliographyAction
    /// The cite key of an entry, or the path of a file relative to the host's folder.
    public var item: String
    /// The path on the device; nil for entries.
    public var path: String?
    /// The reason, as a sentence; nil if the action does not need one.
    public var reason: String?
    /// Both values of every field that changes or is in conflict, one line for each value.
    public var details: String?
    /// The number of bytes to copy.
    public var bytes: UInt64
    /// Whether the device changes.
    public var changesDevice: Bool
    /// Whether the host's folder changes.
    public var changesHost: Bool
    /// The error that prevents the action. It becomes the result of the row.
    public var failure: BibliographySyncError?

    /// Creates a row with these values.
    public init(
        _ action: BibliographyAction, _ item: String, path: String? = nil, reason: String? = nil,
        details: String? = nil, bytes: UInt64 = 0, changesDevice: Bool = false, changesHost: Bool = false,
        failure: BibliographySyncError? = nil
    ) {
        (self.action, self.item, self.path, self.reason) = (action, item, path, reason)
        (self.details, self.bytes) = (details, bytes)
        (self.changesDevice, self.changesHost, self.failure) = (changesDevice, changesHost, failure)
    }
}

/// The progress of a run.
public struct BibliographyProgress: Sendable, Equatable {
    /// What is being copied.
    public enum Phase: String, Sendable {
        /// Bibliographies are copied.
        case libraries
        /// Papers are copied, the most wanted first.
        case papers
        /// Files are removed; this phase is the last.
        case removals
    }

    /// The present phase.
    public var phase: Phase
    /// The present file.
    public var name: String
    /// How many files of the run are left, including the present one.
    public var filesLeft: Int
    /// How many bytes of the run are left.
    public var bytesLeft: UInt64
}
