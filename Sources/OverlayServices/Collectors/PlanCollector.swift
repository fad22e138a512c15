import HostContract
import Libraries
import OverlayABI

/// Collects the plan of `sync_source`, and prepares the result of each of its rows.
final class PlanCollector {
    private let results: RowCollector
    private let planned: ((SyncPlanRow) -> Void)?
    private var bytes = 0
    /// The rows received so far.
    private(set) var rows: [SyncPlanRow] = []

    /// - Parameters:
    ///   - results: collects the results of the rows.
    ///   - planned: called with each accepted row.
    init(_ results: RowCollector, planned: ((SyncPlanRow) -> Void)? = nil) {
        self.results = results
        self.planned = planned
    }

    func put(_ pointer: UnsafePointer<ovl_sync_row>) throws(ContractBreach) {
        let record = try ovl_sync_row.read(pointer)
        guard results.count == 0 else {
            throw ContractBreach(.planLate, "A row of the plan came after the first result.")
        }
        guard rows.count < BoundaryLimits.books else {
            throw ContractBreach(.limit, "The plan has more than \(BoundaryLimits.books) rows.")
        }
        guard let action = SyncAction(number: record.action) else {
            throw ContractBreach(.planRow, "The action \(record.action) of a row of the plan does not exist.")
        }
        var row = SyncPlanRow(
            action, item: try record.item.read("sync_row.item"),
            path: try record.path.read("sync_row.path", limit: BoundaryLimits.path),
            reason: record.reason.readMessage(), bytes: record.bytes)
        guard row.item != nil || row.path != nil else {
            throw ContractBreach(.planRow, "A row of the plan has neither an item nor a path.")
        }
        row.details = try record.details.read("sync_row.details")
        row.changes = SyncSide(flags: record.flags)
        row.isNotable = action == .keep && row.reason != nil
        row.fails = record.flags & OVL_SYNC_ROW_FAILS != 0
        guard !row.fails || row.isNotable else {
            throw ContractBreach(.planRow, "A row of the plan that fails needs the action keep and a reason.")
        }
        let texts = [row.item, row.path, row.reason, row.details].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        bytes += texts + BoundaryLimits.bookOverhead
        guard bytes <= BoundaryLimits.booklistBytes else {
            throw ContractBreach(.limit, "The plan has more than \(BoundaryLimits.booklistBytes) bytes.")
        }
        rows.append(row)
        results.expectOneMore()
        planned?(row)
    }

    /// Checks that there is a result for every row with a change or a failure, as required after success, or no
    /// result in a dry run.
    func checkComplete(isDryRun: Bool) throws(ContractBreach) {
        if isDryRun {
            guard results.count == 0 else {
                throw ContractBreach(.dryRun, "A dry run reported a result.")
            }
            return
        }
        let missing = rows.indices.filter {
            (rows[$0].action.hasResult || rows[$0].fails) && results.rows[$0] == nil
        }
        guard let first = missing.first else { return }
        throw ContractBreach(
            .rowMissing,
            "It succeeded without a result for \(missing.count) of \(rows.count) rows of the plan, first \(first)."
        )
    }
}

extension SyncAction {
    /// The action for an `OVL_SYNC_…`; nil for a number that is not in the contract.
    fileprivate init?(number: UInt32) {
        switch number {
        case OVL_SYNC_ADD: self = .add
        case OVL_SYNC_UPDATE: self = .update
        case OVL_SYNC_REPLACE: self = .replace
        case OVL_SYNC_REMOVE: self = .remove
        case OVL_SYNC_KEEP: self = .keep
        case OVL_SYNC_CONFLICT: self = .conflict
        case OVL_SYNC_ONLY_ON_DEVICE: self = .onlyOnDevice
        default: return nil
        }
    }

    /// Whether the row is about a change, which may also have been impossible.
    package var hasResult: Bool { ![.keep, .onlyOnDevice, .unsupported].contains(self) }
}

extension SyncSide {
    fileprivate init?(flags: UInt32) {
        switch (flags & OVL_SYNC_ROW_CHANGES_DEVICE != 0, flags & OVL_SYNC_ROW_CHANGES_SOURCE != 0) {
        case (true, true): self = .both
        case (true, false): self = .device
        case (false, true): self = .source
        case (false, false): return nil
        }
    }
}
