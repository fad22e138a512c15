import OverlayCalls

/// The calls of a recording that have not returned yet. Each answer must belong to one of them.
struct OpenCalls {
    private struct Call {
        let number: UInt32
        let function: FunctionPlan
        let isFromOverlay: Bool
    }

    /// The most nested calls on one thread, several times as many as occur between two processes.
    static let deepest = 256

    private var threads: [UInt16: [Call]] = [:]

    /// Processes the next event; throws `damaged` if it cannot follow the earlier ones.
    mutating func add(_ event: TraceEvent) throws(TraceError) {
        guard let function = event.function else { return }
        switch event.content {
        case .call:
            let calls = threads[event.thread]?.count ?? 0
            guard calls < Self.deepest else {
                throw TraceDecoder.damaged("more than \(Self.deepest) calls wait for each other")
            }
            threads[event.thread, default: []].append(
                Call(number: event.call, function: function, isFromOverlay: event.isFromOverlay))
        case .answer:
            guard let place = threads[event.thread]?.lastIndex(where: { $0.number == event.call }),
                let call = threads[event.thread]?[place]
            else { throw TraceDecoder.damaged("call \(event.call) returns, but was never made") }
            guard call.function === function, call.isFromOverlay == event.isFromOverlay else {
                throw TraceDecoder.damaged(
                    "call \(event.call) is to \(call.function.displayName), but its return is from "
                        + "\(function.displayName)"
                )
            }
            threads[event.thread]?.removeSubrange(place...)
        case .overlay, .breakdown, .end: return
        }
    }
}
