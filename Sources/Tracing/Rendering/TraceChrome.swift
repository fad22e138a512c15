import JSON
import OverlayCalls

/// Converts a recording to the Trace Event Format of timeline viewers: each thread is a track, each call a bar.
package struct TraceChrome {
    /// Calls that have not ended, by thread.
    private var open: [UInt16: [UInt32]] = [:]
    private var overlays: [String] = []
    private var last: UInt64 = 0

    /// Starts without events.
    package init() {}

    /// The events of one record.
    package mutating func events(_ event: TraceEvent) -> [JSONValue] {
        last = max(last, event.time)
        switch event.content {
        case .overlay(let overlay):
            let name = "\(overlay.name) \(overlay.version)"
            if !overlays.contains(name) { overlays.append(name) }
            // The last name is the one that viewers use.
            let all = overlays.joined(separator: ", ")
            return [Self.naming("process_name", overlays.count == 1 ? "overlay \(all)" : "overlays \(all)")]
        case .call(let values):
            guard let function = event.function else { return [] }
            let naming =
                open[event.thread] == nil
                ? [Self.naming("thread_name", "thread \(event.thread)", event.thread)] : []
            open[event.thread, default: []].append(event.call)
            var members = self.members("B", event.time, event.thread)
            members.append(("name", .string(function.displayName)))
            members.append(("cat", .string(Self.category(function))))
            if let values { members.append(("args", TraceJSON.arguments(function, values))) }
            return naming + [TraceJSON.object(members)]
        case .answer(let result, _):
            // A return without its call is left out, because viewers would let it end another bar.
            guard let place = open[event.thread]?.lastIndex(of: event.call) else { return [] }
            let left = (open[event.thread]?.count ?? 0) - place - 1
            open[event.thread]?.removeSubrange(place...)
            var members = self.members("E", event.time, event.thread)
            if let result {
                members.append(("args", TraceJSON.object([("result", TraceJSON.value(result))])))
            }
            return (0..<left).map { _ in unreturned(event.time, event.thread) } + [TraceJSON.object(members)]
        case .breakdown(let breakdown):
            var members = self.members("i", event.time, event.thread)
            members.append(("name", .string("the overlay \(breakdown.clause)")))
            members.append(("s", .string("t")))
            return [TraceJSON.object(members)]
        case .end: return []
        }
    }

    /// Ends for the calls that never returned, at the time of the last record.
    package mutating func rest() -> [JSONValue] {
        defer { open = [:] }
        return open.keys.sorted().flatMap { thread in
            (open[thread] ?? []).map { _ in unreturned(last, thread) }
        }
    }

    private func unreturned(_ time: UInt64, _ thread: UInt16) -> JSONValue {
        var members = members("E", time, thread)
        members.append(("args", TraceJSON.object([("result", .string("did not return"))])))
        return TraceJSON.object(members)
    }

    private static func naming(_ what: String, _ name: String, _ thread: UInt16 = 0) -> JSONValue {
        TraceJSON.object([
            ("name", .string(what)), ("ph", .string("M")), ("pid", .integer(1)),
            ("tid", .integer(Int64(thread))), ("args", TraceJSON.object([("name", .string(name))])),
        ])
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
