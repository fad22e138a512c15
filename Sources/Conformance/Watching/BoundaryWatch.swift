import DeviceTransport
import OverlayABI
import OverlayBridge
import OverlayHost
import Synchronization

/// Watches one instance during a trial: it records broken rules and carries out the trial's orders.
final class BoundaryWatch: BoundaryObserver {
    /// What the trial does to the overlay.
    struct Orders: Sendable {
        /// Whether every sink asks to stop when it receives the first item.
        var stops = false
        /// The service that the host does not provide.
        var withheld: String?
        /// Whether tables of services end after the functions that the overlay requires.
        var shortens = false
        /// The point, counted from 1, at which the user cancels; nil for never.
        var cancelsAt: Int?
    }

    private struct State {
        var orders: Orders
        var situation: String
        /// The number of breaches of this instance.
        var breaches = 0
        /// The number of progress reports and service calls since the method began.
        var points = 0
        var status = OVL_OK
        var errorStatus: ovl_status?
        /// The number of items received since the method began.
        var received = 0
    }

    private let state: Mutex<State>
    private let observations: ObservationLog
    private let cancellation: Cancellation

    init(_ observations: ObservationLog, _ orders: Orders, _ cancellation: Cancellation, situation: String) {
        self.observations = observations
        self.cancellation = cancellation
        state = Mutex(State(orders: orders, situation: situation))
    }

    /// Records that a method begins.
    func begin(_ situation: String) {
        state.withLock { state in
            state.situation = situation
            state.points = 0
            state.received = 0
            state.status = OVL_OK
            state.errorStatus = nil
        }
    }

    /// Changes the fault that is applied to the overlay.
    func order(_ change: (inout Orders) -> Void) { state.withLock { change(&$0.orders) } }

    /// Whether the overlay has broken a rule, so that its later behaviour means little.
    var isTainted: Bool { state.withLock { $0.breaches > 0 } }
    /// The last method's status as the overlay returned it.
    var status: ovl_status { state.withLock { $0.status } }
    /// The number of progress reports and service calls in the last method.
    var points: Int { state.withLock { $0.points } }

    /// Records a finding that does not come from a method of the protocol.
    func find(_ rule: ConformanceRule, _ seen: String, _ outcome: RuleResult.Outcome = .fail) {
        let situation = state.withLock { state in
            state.breaches += 1
            return state.situation
        }
        observations.find(rule, seen, in: situation, outcome)
    }

    // MARK: BoundaryObserver

    func broke(_ breach: ContractBreach, in place: String) {
        find(.broken(breach, in: place), "\(place): \(breach.message)")
    }

    func receives(_ record: UnsafeRawPointer?, _ kind: StaticString) -> Bool {
        let name = "\(kind)"
        if let record, name != "ovl_bytes" { check(at: record, name) }
        guard name != "ovl_error" else { return false }
        return state.withLock { state in
            state.received += 1
            return state.orders.stops
        }
    }

    private func check(at record: UnsafeRawPointer, _ name: String) {
        var scan = RecordScan()
        scan.check(at: record, name)
        for finding in scan.findings { find(finding.rule, finding.seen) }
        let size = Int(record.loadUnaligned(as: UInt32.self))
        if name == "ovl_error", size >= MemoryLayout<ovl_error>.size {
            let error = record.loadUnaligned(as: ovl_error.self)
            if error.message.data == nil || error.message.size == 0 {
                find(RuleCatalog.errorMessage, "An error of status \(error.status) has no message.")
            }
        }
        guard name == "ovl_item_result" else { return }
        let row: ovl_item_result
        do throws(ViewFault) {
            row = try ovl_item_result.copy(
                at: record.assumingMemoryBound(to: ovl_item_result.self), smallest: ovl_item_result.smallest)
        } catch {
            // The scan of the record has reported its size.
            return
        }
        guard row.outcome == OVL_OUTCOME_FAILED else { return }
        if row.message.data == nil || row.message.size == 0 {
            find(RuleCatalog.rowReason, "The row of item \(row.index) failed without a message.")
        }
        if !Self.isKnown(row.status) {
            find(RuleCatalog.statusKnown, "The row of item \(row.index) has the status \(row.status).")
        }
    }

    func willServe(_ function: StaticString) -> HostError? {
        point()
        return nil
    }

    func reported() { point() }

    private func point() {
        let isTime = state.withLock { state in
            state.points += 1
            return state.points == state.orders.cancelsAt
        }
        if isTime { cancellation.cancel() }
    }

    func offers(_ service: String, _ size: UInt32) -> UInt32 {
        observations.asked(for: service)
        return state.withLock { state in
            if state.orders.withheld == service { return 0 }
            return state.orders.shortens ? size : .max
        }
    }

    func returned(_ method: String, _ status: ovl_status, errorStatus: ovl_status?) {
        state.withLock { ($0.status, $0.errorStatus) = (status, errorStatus) }
        if let method = OverlayMethod(rawValue: method) { observations.returned(method) }
        if !Self.isKnown(status) {
            find(RuleCatalog.statusKnown, "\(method) returned the status \(status), which does not exist.")
        } else if status != OVL_OK, status != OVL_STOPPED, errorStatus == nil {
            find(RuleCatalog.errorReported, "\(method) returned status \(status) without an error.")
        }
    }

    private static func isKnown(_ status: ovl_status) -> Bool {
        status == OVL_OK || HostError.Code.statuses.contains { $0.status == status }
    }
}
