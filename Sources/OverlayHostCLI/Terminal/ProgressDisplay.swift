import OverlayHost
import Synchronization

/// Shows how far a command is: as a line that is drawn anew on a terminal, at most ten times a second and only for what
/// takes over a second; without a terminal as one line per step, if the person wants to know.
final class ProgressDisplay: ProgressSink {
    private struct State {
        var started: ContinuousClock.Instant?
        var drawn: ContinuousClock.Instant?
        /// What was announced last where lines cannot be drawn anew.
        var phase: String?
    }

    private let console: Console
    private let writesLines: Bool
    private let state = Mutex(State())

    /// Shows progress on the console's standard error. Without a terminal there it writes lines if `writesLines`, else
    /// nothing.
    init(console: Console, writesLines: Bool = false) {
        self.console = console
        self.writesLines = writesLines
    }

    func update(_ line: ProgressLine) { update(line, now: .now) }

    /// Shows the newest state at a time of a test's choice. Any thread.
    func update(_ line: ProgressLine, now: ContinuousClock.Instant) {
        guard !console.isQuiet else { return }
        guard let width = console.progressWidth else {
            if writesLines { announce(line) }
            return
        }
        state.withLock { state in
            let started = state.started ?? now
            state.started = started
            guard started.duration(to: now) >= ProgressLine.delay else { return }
            if let drawn = state.drawn, drawn.duration(to: now) < .milliseconds(100) { return }
            state.drawn = now
            console.diagnostics(
                "\r\u{1B}[K" + line.render(elapsed: started.duration(to: now), width: width - 1))
        }
    }

    private func announce(_ line: ProgressLine) {
        state.withLock { state in
            guard state.phase != line.phase else { return }
            state.phase = line.phase
            console.diagnostics(line.announcement + "\n")
        }
    }

    func say(_ text: String) {
        state.withLock { state in
            console.diagnostics((state.drawn == nil ? "" : "\r\u{1B}[K") + text)
            state.drawn = nil
        }
    }

    /// Wipes the line, so that what follows begins on a clean one. Any thread.
    func clear() {
        state.withLock { state in
            if state.drawn != nil { console.diagnostics("\r\u{1B}[K") }
            state = State()
        }
    }
}

/// Where a run shows how far it is. Any thread.
protocol ProgressSink: Sendable {
    /// Shows the newest state.
    func update(_ line: ProgressLine)

    /// Wipes what was drawn, so that what follows begins on a clean line.
    func clear()

    /// Writes text to standard error at once, without tearing what is drawn there.
    func say(_ text: String)
}

/// Says notes and logs of a whole run while progress may be drawn: above it, so that neither tears the other. Any thread.
final class NotePrinter: Sendable {
    private let console: Console
    private let progress = Mutex<(any ProgressSink)?>(nil)

    /// Writes to the console's standard error, where nothing is drawn yet.
    init(_ console: Console) { self.console = console }

    /// From now on says everything above this.
    func speak(above progress: any ProgressSink) { self.progress.withLock { $0 = progress } }

    /// Prints a note, which is not part of the result.
    func note(_ text: String) {
        guard let progress = progress.withLock({ $0 }) else { return console.note(text) }
        console.note(text, above: progress)
    }

    /// Writes whole lines.
    func say(_ lines: String) {
        guard let progress = progress.withLock({ $0 }) else { return console.diagnostics(lines) }
        progress.say(lines)
    }
}
