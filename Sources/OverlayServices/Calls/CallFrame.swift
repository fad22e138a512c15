import HostContent
import HostContract
import HostErrors
import OverlayABI

/// A running call of a method: its permissions, its results so far, and the first rule that it broke.
///
/// Only for use by the device thread, between the call and the return of the method.
final class CallFrame {
    /// The running method; nil during `create`.
    let method: OverlayMethod?
    /// The name of the method in the contract.
    var name: String { method?.rawValue ?? "create" }
    /// The first error that the method reported.
    private(set) var error: HostError?
    /// The status in the error record of the method.
    private(set) var errorStatus: ovl_status?
    /// The first broken rule, which determines the result of the call.
    private(set) var breach: ContractBreach?
    /// Whether a sink has asked the method to stop.
    private(set) var hasStopped = false
    /// Receives the books of `books`.
    var books: BookCollector?
    /// Receives the collections.
    var collections: CollectionCollector?
    /// Receives the rows.
    var rows: RowCollector?
    /// Receives the edits.
    var edits: EditCollector?
    /// Receives the plan of `sync_source`.
    var plan: PlanCollector?
    /// The folder that is granted during `sync_source`.
    var source: GrantedSource?
    /// Receives the answer of `can_handle`.
    var presence: PresenceCollector?
    /// Receives the settings.
    var settings: SettingsCollector?
    /// Receives the bytes of `get_file` and `perform`.
    var bytes: BytesCollector?
    /// The files that remain open until the method returns.
    let contents = OpenContentCache()
    /// Names in folders for which the overlay will probably ask.
    var readAhead = FolderReadAhead()
    /// The ends of files whose metadata the overlay will probably request.
    var keptEnds = HeadTailCache()
    /// The sizes of the books that are being fetched.
    var listedSizes = ListedSizes()
    /// The names that the overlay received for the call. They end with it.
    var names: [CallName] = []
    /// The time until which the overlay may clean up on the device; nil until it was told that its method should end.
    var graceEnds: ContinuousClock.Instant?
    /// Whether a sink should ask the method to stop, because the user cancelled or the device is gone.
    var shouldStop: () -> Bool = { false }
    /// Observes the calls; nil without an observer.
    var observer: (any BoundaryObserver)?

    init(_ method: OverlayMethod?) { self.method = method }

    /// Records a broken rule. Only the first one counts.
    func note(_ breach: ContractBreach) {
        if self.breach == nil { self.breach = breach }
    }

    /// Passes a record to the observer. Returns true if the sink must ask the method to stop instead of accepting the
    /// record.
    @inline(__always)
    func isStopped<Record>(at record: UnsafePointer<Record>, _ kind: StaticString) -> Bool {
        guard let observer, !hasStopped else { return false }
        guard observer.receives(UnsafeRawPointer(record), kind) else { return false }
        stop()
        return true
    }

    /// Accepts the error record of the method.
    func put(_ record: UnsafePointer<ovl_error>) {
        _ = observer?.receives(UnsafeRawPointer(record), "ovl_error")
        guard error == nil else {
            note(ContractBreach(.errorTwice, "It reported a second error."))
            return
        }
        do throws(ContractBreach) {
            let checked = try ovl_error.read(record)
            errorStatus = checked.status
            withUnsafePointer(to: checked) {
                error = HostError(status: checked.status, record: $0, call: name)
            }
        } catch {
            note(error)
        }
    }

    /// Lets a sink accept data, and returns the status for the overlay.
    @inline(__always)
    func take(_ what: () throws(ContractBreach) -> Void) -> ovl_status {
        if hasStopped {
            note(ContractBreach(.afterStop, "It put a row after the receiver had asked it to stop."))
            return OVL_STOPPED
        }
        do throws(ContractBreach) {
            try what()
        } catch {
            note(error)
            hasStopped = true
            return OVL_STOPPED
        }
        return OVL_OK
    }

    /// Records that a sink returned `OVL_STOPPED`, because the receiver failed or does not want more data.
    func stop() { hasStopped = true }
}
