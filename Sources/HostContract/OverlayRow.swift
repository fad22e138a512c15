import Diagnostics
import HostErrors
import OverlayABI

/// One row that an overlay reported, checked and copied; `ovl_item_result` without its index.
package struct OverlayRow: Sendable, Equatable {
    /// The outcome of the item.
    package var outcome: ItemStatus
    /// `failed` and its relatives; nil unless `outcome` is `failed`.
    package var code: HostError.Code?
    /// Path of the book after the call.
    package var path: String?
    /// Why it failed or was skipped, or a warning of the reader app.
    package var message: String?
    /// What the person can do.
    package var hint: String?
    /// The untouched number of the layer that failed first, if it had one.
    package var native: NativeCode?
    /// The fetched local copy.
    package var file: String?

    /// A row with only the outcome of the item.
    package init(outcome: ItemStatus) { self.outcome = outcome }
}

extension ItemStatus {
    /// The status of an `OVL_OUTCOME_…`; nil for a number the contract does not have.
    package init?(outcome: UInt32) {
        switch outcome {
        case OVL_OUTCOME_FAILED: self = .failed
        case OVL_OUTCOME_ADDED: self = .added
        case OVL_OUTCOME_UPDATED: self = .updated
        case OVL_OUTCOME_REPLACED: self = .replaced
        case OVL_OUTCOME_SKIPPED: self = .skipped
        case OVL_OUTCOME_DELETED: self = .deleted
        case OVL_OUTCOME_FETCHED: self = .fetched
        default: return nil
        }
    }
}
