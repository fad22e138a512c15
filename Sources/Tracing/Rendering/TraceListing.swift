import OverlayABI
import Platform

/// Shows a recording as lines for people: a line for each call with its time and result, indented by the calls around
/// it.
package struct TraceListing {
    /// What a line shows besides the call.
    package struct Style: Sendable {
        /// Whether each line begins with a time and a thread.
        package var hasTimes: Bool

        /// Creates a style.
        package init(hasTimes: Bool = true) { self.hasTimes = hasTimes }
    }

    private struct Open {
        var call: UInt32
        var time: UInt64
        var text: String
        var isFromOverlay: Bool
    }

    private let text: TraceText
    private let style: Style
    /// The unfinished calls of each thread, the innermost last.
    private var threads: [UInt16: [Open]] = [:]
    /// A call that has no result yet. Both are on one line if there is no other call between them.
    private var pending: (event: TraceEvent, line: String)?

    /// Whether the recording has an end record.
    package private(set) var isEnded = false
    /// Whether it ended because the disk was full.
    package private(set) var isDiskFull = false

    /// - Parameter text: formats values.
    package init(_ text: TraceText = TraceText(), _ style: Style = Style()) {
        self.text = text
        self.style = style
    }

    /// The lines for one record.
    package mutating func lines(_ event: TraceEvent) -> [String] {
        switch event.content {
        case .overlay(let overlay):
            return flushed() + [
                "overlay \(overlay.number): \(overlay.name) \(overlay.version) (\(overlay.id)), contract 1.\(overlay.minor), \(overlay.isolation), \(overlay.file)"
            ]
        case .call(let values):
            guard let function = event.function else { return [] }
            let lines = flushed()
            let call = text.call(function, values)
            let whom = event.isFromOverlay ? "< " : "> "
            pending = (event, prefix(event) + whom + call)
            threads[event.thread, default: []].append(
                Open(
                    call: event.call, time: event.time, text: call, isFromOverlay: event.isFromOverlay))
            return lines
        case .answer(let result, let written):
            guard let function = event.function else { return [] }
            var began: UInt64?
            if let place = threads[event.thread]?.lastIndex(where: { $0.call == event.call }) {
                began = threads[event.thread]?[place].time
                threads[event.thread]?.removeSubrange(place...)
            }
            let answer = text.answer(function, result, written)
            let duration = began.map { style.hasTimes ? "  " + Self.duration(event.time &- $0) : "" } ?? ""
            if let (call, line) = pending, call.call == event.call {
                pending = nil
                return [line + (answer.isEmpty ? "" : " = " + answer) + duration]
            }
            return flushed() + [
                prefix(event) + "= " + function.displayName + (answer.isEmpty ? "" : ": " + answer)
                    + duration
            ]
        case .breakdown(let breakdown):
            let head = prefix(event) + "! " + (event.function.map { $0.displayName + ": " } ?? "")
            let service =
                breakdown.lastService.isEmpty ? "" : ", after calling \(breakdown.lastService)"
            let words = breakdown.words.split(separator: "\n").map { prefix(event) + "! | \($0)" }
            return flushed() + [head + "the overlay \(breakdown.clause)\(service)"] + words
        case .end(let isDiskFull):
            isEnded = true
            self.isDiskFull = isDiskFull
            return flushed()
        }
    }

    /// The remaining lines at the end, and the meaning of the end.
    ///
    /// - Parameter signal: the signal with which the program crashed; nil if none is known.
    package mutating func rest(signal: Int32? = nil) -> [String] {
        var lines = flushed()
        for thread in threads.keys.sorted() {
            guard let innermost = threads[thread]?.last else { continue }
            let caller = innermost.isFromOverlay ? "The overlay" : "The host"
            lines.append("\(caller) did not return from: \(innermost.text)")
        }
        if isDiskFull {
            lines.append("The recording stops here because the disk was full.")
        } else if let signal {
            lines.append("The program that recorded this crashed with \(SignalName.of(signal)).")
        } else if !isEnded {
            lines.append(
                "The recording is incomplete: the program was still running, or stopped suddenly.")
        }
        return lines
    }

    private mutating func flushed() -> [String] {
        defer { pending = nil }
        return pending.map { [$0.line] } ?? []
    }

    /// Time, thread and indentation; the event's own call is not among the open ones.
    private func prefix(_ event: TraceEvent) -> String {
        let depth = threads[event.thread]?.count ?? 0
        let indentation = String(repeating: "  ", count: min(depth, 32))
        guard style.hasTimes else { return indentation }
        return Self.seconds(event.time) + "  " + "\(event.thread)  " + indentation
    }

    /// Seconds with six decimals, at least nine characters wide.
    static func seconds(_ nanoseconds: UInt64) -> String {
        let micro = nanoseconds / 1000
        let text = "\(micro / 1_000_000)." + (micro % 1_000_000).padded(6)
        return String(repeating: " ", count: max(0, 11 - text.count)) + text
    }

    /// A duration in a suitable unit.
    static func duration(_ nanoseconds: UInt64) -> String {
        func number(_ value: UInt64, _ unit: UInt64, _ name: String) -> String {
            let tenths = value / (unit / 10)
            return "\(tenths / 10).\(tenths % 10) \(name)"
        }
        return switch nanoseconds {
        case ..<1000: "\(nanoseconds) ns"
        case ..<1_000_000: number(nanoseconds, 1000, "us")
        case ..<1_000_000_000: number(nanoseconds, 1_000_000, "ms")
        default: number(nanoseconds, 1_000_000_000, "s")
        }
    }
}
