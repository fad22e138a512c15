import DeviceTransport
import OverlayABI

extension InstanceCore {
    /// The progress service.
    func progressService() -> ovl_progress_service {
        var table = ovl_progress_service.sized()
        table.ctx = context
        table.report = { context, completed, total, phase in
            guard let core = InstanceCore.from(context) else { return }
            guard core.isDeviceThread, core.frame?.method != nil else {
                return core.misbehaved(
                    core.isDeviceThread ? .outsideMethod : .otherThread,
                    "progress.report was called outside a method", in: "progress.report")
            }
            core.observer?.reported()
            let words = phase.flatMap { $0.pointee.readMessage() }
            core.progress.items(completed, of: total == OVL_UNKNOWN ? nil : total, phase: words)
        }
        return table
    }

    /// The cancel service.
    func cancelService() -> ovl_cancel_service {
        var table = ovl_cancel_service.sized()
        table.ctx = context
        table.is_cancelled = { context in
            guard let core = InstanceCore.from(context) else { return 1 }
            guard core.shouldStop else { return 0 }
            core.beginGrace()
            return 1
        }
        table.time_left = { context in
            guard let core = InstanceCore.from(context),
                let deadline = core.running.withLock({ $0.deadline })
            else { return OVL_UNKNOWN }
            let (seconds, attoseconds) = (deadline - ContinuousClock.now).components
            guard seconds >= 0, attoseconds >= 0 else { return 0 }
            return UInt64(seconds) &* 1_000_000_000 &+ UInt64(attoseconds / 1_000_000_000)
        }
        table.wait = { context, nanoseconds, error in
            InstanceCore.serve(context, "cancel.wait", error) { core throws(HostError) in
                try core.requireMethod("cancel.wait")
                let span = Duration.nanoseconds(Int64(min(nanoseconds, UInt64(Int64.max))))
                try transporting { () throws(TransportError) in
                    try core.roots.device.wait(for: span, core.operation())
                }
            }
        }
        return table
    }
}
