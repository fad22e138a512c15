import Crossing
import JSON

/// A recording in the Trace Event Format that timeline viewers read: each thread a track, each call a bar.
package struct TraceChrome {
    /// Calls that have begun and not ended, by their thread.
    private var open: [UInt16: [UInt32]] = [:]
    private var last: UInt64 = 0

    /// Nothing has been seen.
    package init() {}

    /// The events of one record.
    package mutating func events(_ event: TraceEvent) -> [JSONValue] {
        last = max(last, event.time)
        switch event.content {
        case .overlay(let overlay):
            return [
                TraceJSON.object([
                    ("name", .string("process_name")), ("ph", .string("M")), ("pid", .integer(1)),
                    (
                        "args",
                        TraceJSON.object([("name", .string("overlay \(overlay.id) \(overlay.version)"))])
                    ),
                ])
            ]
        case .call(let values):
            guard let function = event.function else { return [] }
            open[event.thread, default: []].append(event.call)
            var members = self.members("B", event.time, event.thread)
            members.append(("name", .string(function.displayName)))
            members.append(("cat", .string(Self.category(function))))
            if let values { members.append(("args", TraceJSON.arguments(function, values))) }
            return [TraceJSON.object(members)]
        case .answer(let result, _):
            // What has no beginning is left out: viewers would take it for the end of another bar.
            guard open[event.thread]?.last == event.call else { return [] }
            open[event.thread]?.removeLast()
            var members = self.members("E", event.time, event.thread)
            if let result {
                members.append(("args", TraceJSON.object([("result", TraceJSON.value(result))])))
            }
            return [TraceJSON.object(members)]
        case .end: return []
        }
    }

    /// The ends of the calls that never returned, at the time of the last record.
    package mutating func rest() -> [JSONValue] {
        var events: [JSONValue] = []
        for thread in open.keys.sorted() {
            for _ in open[thread] ?? [] {
                var members = members("E", last, thread)
                members.append(("args", TraceJSON.object([("result", .string("did not return"))])))
                events.append(TraceJSON.object(members))
            }
        }
        open = [:]
        return events
    }

    private func members(_ phase: String, _ time: UInt64, _ thread: UInt16) -> [(String, JSONValue)] {
        [
            ("ph", .string(phase)), ("pid", .integer(1)), ("tid", .integer(Int64(thread))),
            ("ts", JSONNumber(Double(time) / 1000).map { .number($0) } ?? .integer(0)),
        ]
    }

    private static func category(_ function: FunctionPlan) -> String {
        function.isMethod ? "method" : function.isSink ? "sink" : "service"
    }
}
