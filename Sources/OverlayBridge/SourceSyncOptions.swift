import OverlayABI

/// How the person wants to sync; the Swift form of `ovl_sync_options`.
public struct SourceSyncOptions: Hashable, Sendable {
    /// Only plan: the host refuses everything that changes the folder, the device or the state.
    public var isDryRun: Bool
    /// Whether what was deleted on one side is deleted on the other; without it nothing is deleted.
    public var deletes: Bool
    /// Whether the person has agreed to what the overlay would otherwise refuse, such as many deletions.
    public var isForced: Bool
    /// Whether what is only on the device also gets a row of the plan.
    public var listsOthers: Bool
    /// Names of what the person wants now, as the overlay's help explains them; empty: nothing in particular.
    public var wanted: [String]

    /// Options; the defaults change what is new or changed and delete nothing.
    public init(
        isDryRun: Bool = false, deletes: Bool = false, isForced: Bool = false, listsOthers: Bool = false,
        wanted: [String] = []
    ) {
        self.isDryRun = isDryRun
        self.deletes = deletes
        self.isForced = isForced
        self.listsOthers = listsOthers
        self.wanted = wanted
    }
}

extension SourceSyncOptions {
    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_sync_options {
        var record = ovl_sync_options.sized()
        record.flags =
            (isDryRun ? OVL_SYNC_DRY_RUN : 0) | (deletes ? OVL_SYNC_DELETES : 0)
            | (isForced ? OVL_SYNC_FORCED : 0) | (listsOthers ? OVL_SYNC_LISTS_OTHERS : 0)
        record.wanted = arena.texts(wanted)
        return record
    }
}
