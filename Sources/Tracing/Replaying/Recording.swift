import OverlayABI
import OverlayCalls

/// A whole recording as nested calls, for replaying.
package struct Recording: Sendable {
    /// A call, and all calls that were made while it ran.
    package final class Call: @unchecked Sendable {
        // Unchecked: one thread fills it while the recording is read; it is constant afterwards.

        let event: TraceEvent
        let function: FunctionPlan
        /// Nil if the program ended while writing them.
        let values: [TraceValue?]?
        fileprivate(set) var hasReturned = false
        /// How the overlay ended during the call; nil if it did not.
        fileprivate(set) var breakdown: String?
        fileprivate(set) var result: TraceValue?
        fileprivate(set) var written: [TraceValue?] = []
        fileprivate(set) var children: [Call] = []

        fileprivate init(_ event: TraceEvent, _ function: FunctionPlan, _ values: [TraceValue?]?) {
            self.event = event
            self.function = function
            self.values = values
        }
    }

    /// One instance: `create`, its methods in order, `destroy`.
    package struct Instance: Sendable {
        /// Its number.
        package let number: UInt32
        /// The number of its overlay; 0 if the recording does not say.
        package fileprivate(set) var overlay: UInt32
        var calls: [Call] = []
        /// The calls of other threads of the overlay.
        var aside: [Call] = []
    }

    /// The overlays in the recording.
    package private(set) var overlays: [TraceRecorder.Overlay] = []
    /// The instances in the order of their creation.
    package private(set) var instances: [Instance] = []
    /// What is wrong with the rest of the file; nil if all of it was read.
    package private(set) var problem: TraceError?
    /// How many bytes were kept of each content.
    package let limits: TraceLimits

    /// Reads a recording. An error after its header is stored as `problem`.
    package init(_ reader: TraceReader) {
        limits = reader.contentLimit >= TraceFormat.longest ? .whole : .usual.with(bytes: reader.contentLimit)
        var open: [UInt16: [Call]] = [:]
        do throws(TraceError) {
            while let event = try reader.next() { add(event, &open) }
        } catch {
            problem = error
        }
    }

    private mutating func add(_ event: TraceEvent, _ open: inout [UInt16: [Call]]) {
        switch event.content {
        case .overlay(let overlay): overlays.append(overlay)
        case .call(let values):
            guard let function = event.function else { return }
            let call = Call(event, function, values)
            if let outer = open[event.thread]?.last {
                outer.children.append(call)
            } else {
                top(call)
            }
            open[event.thread, default: []].append(call)
        case .answer(let result, let written):
            guard let place = open[event.thread]?.lastIndex(where: { $0.event.call == event.call }),
                let call = open[event.thread]?[place]
            else { return }
            call.hasReturned = true
            call.result = result
            call.written = written
            open[event.thread]?.removeSubrange(place...)
        case .breakdown(let breakdown): open[event.thread]?.last?.breakdown = breakdown.clause
        case .end: return
        }
    }

    private mutating func top(_ call: Call) {
        let number = call.event.target
        var place = instances.firstIndex { $0.number == number }
        if call.function.isMethod, !call.event.isFromOverlay {
            if place == nil {
                instances.append(Instance(number: number, overlay: call.event.overlay))
                place = instances.count - 1
            }
            if let place { instances[place].calls.append(call) }
        } else if call.event.isFromOverlay, !call.function.isSink, let place {
            instances[place].aside.append(call)
        }
    }
}

extension TraceLimits {
    fileprivate func with(bytes: UInt64) -> TraceLimits { TraceLimits(bytes: bytes, text: text) }
}
