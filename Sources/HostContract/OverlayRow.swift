import Diagnostics
import HostErrors
import OverlayABI

/// A checked and copied row that an overlay reported: `ovl_item_result` without its index.
package struct OverlayRow: Sendable, Equatable {
    /// The outcome of the item.
    package var outcome: ItemStatus
    /// The code of the failure; nil unless `outcome` is `failed`.
    package var code: HostError.Code?
    /// The path of the book after the call.
    package var path: String?
    /// The reason for a failure or for skipping, or a warning of the reader app.
    package var message: String?
    /// What the user can do about it.
    package var hint: String?
    /// The kind of help that `hint` gives.
    package var hintCode: HintCode?
    /// The unchanged number of the layer that failed first; nil if there is none.
    package var native: NativeCode?
    /// The fetched local copy.
    package var file: String?

    /// Creates a row with only the outcome of the item.
    package init(outcome: ItemStatus) { self.outcome = outcome }
}

extension ItemStatus {
    /// Creates the status for an `OVL_OUTCOME_…`; nil for a number that is not in the contract.
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
