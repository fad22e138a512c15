import HostContent
import HostContract
import HostErrors
import OverlayABI

/// One running call of a method: what it may do, what it has put so far, and the first rule it broke.
///
/// Only the device thread uses it, between the call and the return of the method.
final class CallFrame {
    /// The method that runs; nil while `create` does.
    let method: OverlayMethod?
    /// Its name in the contract.
    var name: String { method?.rawValue ?? "create" }
    /// The error it put first.
    private(set) var error: HostError?
    /// The status in the error record it put.
    private(set) var errorStatus: ovl_status?
    /// The first rule that was broken; decides the result of the call.
    private(set) var breach: ContractBreach?
    /// Whether a sink has asked the method to stop.
    private(set) var hasStopped = false
    /// Receives books of `books`.
    var books: BookCollector?
    /// Receives collections.
    var collections: CollectionCollector?
    /// Receives rows.
    var rows: RowCollector?
    /// Receives edits.
    var edits: EditCollector?
    /// Receives the plan of `sync_source`.
    var plan: PlanCollector?
    /// The folder that is granted while `sync_source` runs.
    var source: GrantedSource?
    /// Receives the answer of `can_handle`.
    var presence: PresenceCollector?
    /// Receives the settings.
    var settings: SettingsCollector?
    /// Receives bytes of `get_file` and `perform`.
    var bytes: BytesCollector?
    /// Files that are looked into until the method returns.
    let contents = OpenContentCache()
    /// Names in folders that the overlay is about to ask for.
    var readAhead = FolderReadAhead()
    /// The ends of files that the overlay is about to ask the metadata of.
    var keptEnds = HeadTailCache()
    /// The sizes of the books that are fetched.
    var listedSizes = ListedSizes()
    /// Names that the overlay was given for the call, which end with it.
    var names: [CallName] = []
    /// Until when the overlay may clean up on the device; nil until it was told that its method should end.
    var graceEnds: ContinuousClock.Instant?
    /// Whether a sink should ask the method to stop: the person cancelled, or the device is gone.
    var shouldStop: () -> Bool = { false }
    /// Watches the boundary; nil without an observer.
    var observer: (any BoundaryObserver)?

    init(_ method: OverlayMethod?) { self.method = method }

    /// Notes a broken rule; only the first counts.
    func note(_ breach: ContractBreach) {
        if self.breach == nil { self.breach = breach }
    }

    /// Shows a record to the observer; true if the sink has to ask to stop instead of taking it.
    @inline(__always)
    func isStopped<Record>(at record: UnsafePointer<Record>, _ kind: StaticString) -> Bool {
        guard let observer, !hasStopped else { return false }
        guard observer.receives(UnsafeRawPointer(record), kind) else { return false }
        stop()
        return true
    }

    /// Takes the error record of the method.
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

    /// Lets a sink take something; answers what the sink returns to the overlay.
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

    /// Marks that a sink answered `OVL_STOPPED`, because the receiver has failed or wants no more.
    func stop() { hasStopped = true }
}
