import Diagnostics
import OverlayABI

extension HintCode {
    /// The codes that the ABI numbers.
    private static let numbered: [(number: UInt32, code: HintCode)] = [
        (OVL_HINT_CONSENT, .consent), (OVL_HINT_PROTECT, .protect), (OVL_HINT_REPLACE, .replace),
        (OVL_HINT_COLLECTIONS, .collections), (OVL_HINT_PREFERENCE, .preference), (OVL_HINT_LIST, .list),
    ]

    /// The code of an overlay's record; nil if it has none.
    ///
    /// Overlays built before there were codes set none. What needs consent always has the same hint.
    /// - Parameters:
    ///   - flags: the flags of the record.
    ///   - status: the status in the record.
    package init?(flags: UInt32, status: ovl_status = OVL_OK) {
        if let known = Self.numbered.first(where: { $0.number == flags & OVL_HINT_MASK }) {
            self = known.code
        } else if status == OVL_NEEDS_CONSENT {
            self = .consent
        } else {
            return nil
        }
    }

    /// The `OVL_HINT_…` bits for a record; 0 for a code that the ABI does not number.
    package var flags: UInt32 { Self.numbered.first { $0.code == self }?.number ?? 0 }
}
