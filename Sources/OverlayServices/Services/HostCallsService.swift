import HostErrors
import OverlayABI
import OverlayBridge

final class HostCallsService: HostService {
    let context: InstanceContext

    init(_ context: InstanceContext) { self.context = context }

    /// The largest number of names for one method.
    private static let mostNames = 4096

    /// The service that provides names of running methods, for programs that take turns.
    var table: ovl_calls_service {
        var table = ovl_calls_service.sized()
        table.ctx = pointer
        table.name_call = { context, sink, error in
            HostCallsService.serve(context, "calls.name_call", error) { service throws(HostError) in
                try service.requireMethod("calls.name_call")
                let sink = try service.sink("calls.name_call", sink)
                guard let frame = service.context.frame, frame.names.count < HostCallsService.mostNames else {
                    throw HostError(.invalidArgument, "The method has too many names.")
                }
                let name = CallName.make()
                frame.names.append(name)
                let memory = Arena()
                var text = memory.text(name.text)
                let status = withExtendedLifetime(memory) { sink.put?(sink.ctx, &text) ?? OVL_OK }
                guard status == OVL_OK else { throw HostError.receiverStopped }
            }
        }
        table.has_ended = { context, name in
            guard HostCallsService.of(context) != nil, UInt(bitPattern: name) != 0,
                let text = name.pointee.repaired(limit: CallName.longest + 1)
            else { return 0 }
            return CallName(text)?.hasEnded == true ? 1 : 0
        }
        return table
    }
}
