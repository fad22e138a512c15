import Foundation

/// The rules of the Trace Event Format for a document, so that a timeline viewer shows all of it.
public enum TimelineRules {
    /// The errors in a document; empty if viewers can read it.
    public static func problems(_ document: Data) throws -> [String] {
        guard let root = try JSONSerialization.jsonObject(with: document) as? [String: Any] else {
            return ["the document is not an object"]
        }
        guard let events = root["traceEvents"] as? [[String: Any]] else { return ["there is no traceEvents"] }
        var problems: [String] = []
        if let unit = root["displayTimeUnit"] as? String, unit != "ms", unit != "ns" {
            problems.append("displayTimeUnit is \(unit)")
        }
        var tracks: [[Int]: Track] = [:]
        for (index, event) in events.enumerated() {
            guard let process = event["pid"] as? Int, let thread = event["tid"] as? Int else {
                problems.append("event \(index) has no pid or tid")
                continue
            }
            if event["args"] != nil, event["args"] as? [String: Any] == nil {
                problems.append("event \(index) has args that are not an object")
            }
            let found =
                event["ph"] as? String == "M"
                ? metadata(event) : tracks[[process, thread], default: Track()].take(event)
            problems += found.map { "event \(index) \($0)" }
        }
        for (track, state) in tracks where !state.open.isEmpty {
            problems.append("\(state.open) in track \(track) never end")
        }
        return problems
    }

    private static func metadata(_ event: [String: Any]) -> [String] {
        let name = event["name"] as? String ?? ""
        guard ["process_name", "thread_name"].contains(name) else {
            return ["tells nothing known: '\(name)'"]
        }
        let value = (event["args"] as? [String: Any])?["name"] as? String
        return value?.isEmpty == false ? [] : ["gives no name"]
    }

    /// The bars of one thread: each ends before the bar around it, and time increases.
    private struct Track {
        var open: [String] = []
        var time = 0.0

        mutating func take(_ event: [String: Any]) -> [String] {
            guard let now = event["ts"] as? Double, now >= 0 else { return ["has no time"] }
            defer { time = now }
            var problems = now < time ? ["goes back in time"] : []
            let name = event["name"] as? String
            switch event["ph"] as? String {
            case "B":
                if name?.isEmpty != false { problems.append("has no name") }
                if (event["cat"] as? String)?.isEmpty != false { problems.append("has no category") }
                open.append(name ?? "")
            case "E":
                guard let begun = open.popLast() else { return problems + ["ends what has not begun"] }
                if let name, name != begun { problems.append("ends \(name) within \(begun)") }
            case "i":
                if name?.isEmpty != false { problems.append("has no name") }
                if event["s"] as? String != "t" { problems.append("does not say that it is of its thread") }
            case let phase: problems.append("has the phase \(phase ?? "none")")
            }
            return problems
        }
    }
}
