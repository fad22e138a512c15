/// What a sync does with an entry, a bibliography or a paper.
public enum BibliographyAction: String, Sendable, Hashable, CaseIterable {
    /// It comes to a side that did not have it.
    case add
    /// An entry or a bibliography is changed.
    case update
    /// A paper takes the place of its former version.
    case replace
    /// It goes from a side.
    case remove
    /// It stays as it is, and the reason says why that is worth a row.
    case keep
    /// Both sides changed it, and nothing of either is lost.
    case conflict
}

/// One row of the plan of a sync.
public struct BibliographyPlanRow: Sendable, Equatable {
    /// What is done.
    public var action: BibliographyAction
    /// The cite key of an entry; the path of a file from the host's folder on.
    public var item: String
    /// The path on the device; nil for entries.
    public var path: String?
    /// Why: one sentence; nil where the action says it all.
    public var reason: String?
    /// Both values of every field that changes or is in conflict, a line for each value.
    public var details: String?
    /// Bytes that are copied.
    public var bytes: UInt64
    /// Whether the device changes.
    public var changesDevice: Bool
    /// Whether the host's folder changes.
    public var changesHost: Bool
    /// Why nothing can be done; the row's result is this failure.
    public var failure: BibliographySyncError?

    /// A row.
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

/// How far a run is.
public struct BibliographyProgress: Sendable, Equatable {
    /// What is being copied.
    public enum Phase: String, Sendable {
        /// The bibliographies.
        case libraries
        /// The papers, the most wanted first.
        case papers
        /// What is to go, last of all.
        case removals
    }

    /// What is being copied.
    public var phase: Phase
    /// The file at hand.
    public var name: String
    /// Files of the run that are left, this one included.
    public var filesLeft: Int
    /// Bytes of the run that are left.
    public var bytesLeft: UInt64
}
