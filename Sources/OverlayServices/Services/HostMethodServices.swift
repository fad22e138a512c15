import HostContent
import OverlayBridge
import DeviceTransport
import HostContract
import HostErrors
import OverlayABI

/// The progress service.
final class HostProgressService: HostService {
    let context: InstanceContext

    init(_ context: InstanceContext) { self.context = context }

    /// The function table.
    var table: ovl_progress_service {
        var table = ovl_progress_service.sized()
        table.ctx = pointer
        table.report = { context, completed, total, phase in
            guard let service = HostProgressService.of(context) else { return }
            guard service.context.isDeviceThread, service.context.frame?.method != nil else {
                let kind: ContractBreach.Kind =
                    service.context.isDeviceThread ? .outsideMethod : .otherThread
                return service.context.misbehaved(
                    ContractBreach(kind, "It was called outside a method."), in: "progress.report")
            }
            service.environment.observer?.reported()
            let words = phase.flatMap { $0.pointee.readMessage() }
            service.environment.progress.items(
                completed, of: total == OVL_UNKNOWN ? nil : total, phase: words)
        }
        return table
    }
}

/// The service that reports whether the running method should end.
final class HostCancelService: HostService {
    let context: InstanceContext

    init(_ context: InstanceContext) { self.context = context }

    /// The function table.
    var table: ovl_cancel_service {
        var table = ovl_cancel_service.sized()
        table.ctx = pointer
        table.is_cancelled = { context in
            guard let service = HostCancelService.of(context) else { return 1 }
            guard service.context.shouldStop else { return 0 }
            service.context.beginGrace()
            return 1
        }
        table.time_left = { context in
            guard let service = HostCancelService.of(context),
                let deadline = service.context.running.withLock({ $0.deadline })
            else { return OVL_UNKNOWN }
            let (seconds, attoseconds) = (deadline - ContinuousClock.now).components
            guard seconds >= 0, attoseconds >= 0 else { return 0 }
            return UInt64(seconds) &* 1_000_000_000 &+ UInt64(attoseconds / 1_000_000_000)
        }
        table.wait = { context, nanoseconds, error in
            HostCancelService.serve(context, "cancel.wait", error) { service throws(HostError) in
                try service.requireMethod("cancel.wait")
                let span = Duration.nanoseconds(Int64(min(nanoseconds, UInt64(Int64.max))))
                try transporting { () throws(TransportError) in
                    try service.environment.roots.device.wait(for: span, service.context.operation())
                }
            }
        }
        return table
    }
}
