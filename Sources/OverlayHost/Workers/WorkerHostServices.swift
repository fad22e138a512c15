import WorkerRPC
import OverlayABI
import Tracing

/// The host's services as the supervisor of a worker uses them on the overlay's behalf: the log, the question whether the
/// method is cancelled, and recordings. Any thread.
///
/// Unchecked: the record is valid until `destroy` has returned, and its supervisor has ended before.
struct WorkerHostServices: @unchecked Sendable {
    private let log: UnsafePointer<ovl_log_service>?
    private let cancel: UnsafePointer<ovl_cancel_service>?
    /// Tells recordings; nil while there is none.
    private let traced: TracedHost?

    /// The overlay's name for messages.
    let overlay: String

    init(_ host: UnsafePointer<ovl_host>, for overlay: String) {
        self.overlay = overlay
        traced = TracedHost.of(host)
        // Not what the overlay asks for, so that whoever listens to that must not hear it.
        let host = TracedHost.original(of: host).assumingMemoryBound(to: ovl_host.self)
        log = Self.service(host, OVL_SERVICE_LOG)?.assumingMemoryBound(to: ovl_log_service.self)
        cancel = Self.service(host, OVL_SERVICE_CANCEL)?.assumingMemoryBound(to: ovl_cancel_service.self)
    }

    private static func service(_ host: UnsafePointer<ovl_host>, _ id: String) -> UnsafeRawPointer? {
        let memory = CallMemory()
        return withUnsafePointer(to: memory.text(id)) { id in
            withExtendedLifetime(memory) { host.pointee.get_service?(host.pointee.ctx, id, 24) }
        }
    }

    /// Whether the running method should end.
    var isCancelled: Bool {
        guard let cancel, let ask = cancel.pointee.is_cancelled else { return false }
        return ask(cancel.pointee.ctx) != 0
    }

    /// Tells recordings, once, that the overlay came to an end in a method.
    func tell(of failure: inout WorkerFailure, in function: FunctionPlan) {
        guard !failure.isTold else { return }
        failure.isTold = true
        traced?.tell(
            of: TraceRecorder.Breakdown(
                clause: failure.clause + (failure.isUntouched ? " before the call reached it" : ""),
                lastService: failure.lastService ?? "", words: failure.words ?? ""), in: function)
    }

    /// Records that the overlay broke the contract.
    func tell(breach clause: String) {
        guard let log, let write = log.pointee.write else { return }
        let memory = CallMemory()
        withUnsafePointer(to: memory.text("worker")) { category in
            withUnsafePointer(to: memory.text("The overlay \(overlay) broke the contract: \(clause).")) {
                message in
                withExtendedLifetime(memory) {
                    write(log.pointee.ctx, OVL_LOG_OVERLAY_MISBEHAVING, category, message, nil)
                }
            }
        }
    }
}
