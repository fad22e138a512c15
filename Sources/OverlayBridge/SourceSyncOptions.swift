import OverlayABI

/// The user's options for a sync. The Swift form of `ovl_sync_options`.
///
/// ```swift
/// func remove(
///     _ deleted: [String], _ options: SourceSyncOptions, _ host: HostServices
/// ) throws(OverlayError) {
///     if options.deletes, !options.isDryRun {
///         guard deleted.count < 10 || options.isForced else {
///             throw OverlayError(.needsConsent, "\(deleted.count) books would be deleted.")
///         }
///         for path in deleted { try host.transport.remove(.documents, path) }
///     }
/// }
/// ```
public struct SourceSyncOptions: Hashable, Sendable {
    /// Whether to only plan. The host then refuses all changes to the folder, the device and the state.
    public var isDryRun: Bool
    /// Whether to delete items on one side that were deleted on the other. Without this, nothing is deleted.
    public var deletes: Bool
    /// Whether the user has agreed to changes that the overlay would otherwise refuse, such as many deletions.
    public var isForced: Bool
    /// Whether the plan also contains rows for items that are only on the device.
    public var listsOthers: Bool
    /// The names of requests as explained in the overlay's help; empty if there are none.
    public var wanted: [String]

    /// Creates options. The defaults transfer new and changed items, and do not delete any.
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
    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_sync_options {
        var record = ovl_sync_options.sized()
        record.flags =
            (isDryRun ? OVL_SYNC_DRY_RUN : 0) | (deletes ? OVL_SYNC_DELETES : 0)
            | (isForced ? OVL_SYNC_FORCED : 0) | (listsOthers ? OVL_SYNC_LISTS_OTHERS : 0)
        record.wanted = arena.texts(wanted)
        return record
    }
}
