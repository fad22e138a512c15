import Platform

/// A line that shows the progress of a long operation. It depends only on its parameters, including the time and the
/// width.
struct ProgressLine {
    /// What is being done, such as `Uploading`; shown unchanged.
    var phase: String
    var itemsDone: UInt64 = 0
    var itemsTotal: UInt64?
    var bytesDone: UInt64 = 0
    var bytesTotal: UInt64?

    /// Nothing is shown before this time has passed, because a short operation needs no progress bar.
    static let delay: Duration = .seconds(1)

    /// The line for a terminal `width` cells wide, after `elapsed`; never wider than that.
    func render(elapsed: Duration, width: Int) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        var tail: [String] = []
        if let itemsTotal { tail.append("\(itemsDone)/\(itemsTotal)") }
        if let bytesTotal {
            tail.append("\(ByteCount.text(bytesDone)) of \(ByteCount.text(bytesTotal))")
        } else if bytesDone > 0 {
            tail.append(ByteCount.text(bytesDone))
        }
        if bytesDone > 0, seconds > 0 {
            // An overlay may report any number of bytes, after any time.
            let rate = UInt64(exactly: (Double(bytesDone) / seconds).rounded(.down)) ?? .max
            tail.append("\(ByteCount.text(rate))/s")
        }
        // The bytes of skipped items are never reported as done, but when all items are done nothing is left.
        let isDone = itemsTotal.map { itemsDone >= $0 } ?? false
        if let fraction, fraction > 0, fraction < 1, seconds > 0, !isDone {
            tail.append("\(Self.clock(seconds * (1 - fraction) / fraction)) left")
        }
        let label = TerminalText.sanitized(phase)
        let text = tail.joined(separator: "  ")
        let room = width - TerminalText.width(of: label) - TerminalText.width(of: text) - 6
        guard let fraction, room >= 8 else {
            return TerminalText.truncated(tail.isEmpty ? label : "\(label)  \(text)", to: width)
        }
        let cells = min(room, 40)
        let filled = Int((fraction * Double(cells)).rounded(.down))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: cells - filled)
        return TerminalText.truncated("\(label)  \(bar)  \(text)", to: width)
    }

    /// The line for a pipe, where nothing can be redrawn: the phase, and the progress if it is known.
    var announcement: String {
        var parts = [TerminalText.sanitized(phase)]
        if let itemsTotal { parts.append(itemsTotal == 1 ? "1 item" : "\(itemsTotal) items") }
        if let bytesTotal { parts.append(ByteCount.text(bytesTotal)) }
        return parts.joined(separator: ", ")
    }

    /// The fraction that is done, by bytes if their total is known, else by items; nil if neither total is known.
    var fraction: Double? {
        if let bytesTotal, bytesTotal > 0 { return min(1, Double(bytesDone) / Double(bytesTotal)) }
        if let itemsTotal, itemsTotal > 0 { return min(1, Double(itemsDone) / Double(itemsTotal)) }
        return nil
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0).rounded(.up), 359_999))
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        return hours > 0
            ? "\(hours):\(minutes.padded(2)):\(rest.padded(2))" : "\(minutes):\(rest.padded(2))"
    }
}
