import HostContract
import OverlayABI

/// The progress service.
final class HostProgressService: HostService {
    let context: InstanceContext

    init(_ context: InstanceContext) { self.context = context }

    /// Its table.
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
