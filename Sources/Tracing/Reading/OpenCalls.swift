import OverlayCalls

/// The calls of a recording that have not returned yet: an answer must be that of one of them.
struct OpenCalls {
    private struct Call {
        let number: UInt32
        let function: FunctionPlan
        let isFromOverlay: Bool
    }

    /// Calls within calls on one thread at most, several times what crosses between two processes.
    static let deepest = 256

    private var threads: [UInt16: [Call]] = [:]

    /// Takes note of the next event; throws `damaged` for one that cannot follow those before.
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
