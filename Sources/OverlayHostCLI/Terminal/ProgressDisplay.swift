import OverlayHost
import Synchronization

/// Shows the progress of a command. On a terminal it redraws a line, at most ten times a second and only after the
/// first second. Without a terminal it prints a line for each step, if requested.
final class ProgressDisplay: ProgressSink {
    private struct State {
        var started: ContinuousClock.Instant?
        var drawn: ContinuousClock.Instant?
        /// The last phase printed if lines cannot be redrawn.
        var phase: String?
    }

    private let console: Console
    private let writesLines: Bool
    private let state = Mutex(State())

    /// Shows progress on the console's standard error. If that is not a terminal, it writes lines if `writesLines` is
    /// set, and otherwise nothing.
    init(console: Console, writesLines: Bool = false) {
        self.console = console
        self.writesLines = writesLines
    }

    func update(_ line: ProgressLine) { update(line, now: .now) }

    /// Shows the latest progress at a time that tests can choose. Any thread.
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

    /// Erases the line, so that the following text begins on an empty line. Any thread.
    func clear() {
        state.withLock { state in
            if state.drawn != nil { console.diagnostics("\r\u{1B}[K") }
            state = State()
        }
    }
}

/// Receives the progress of a run. Any thread.
protocol ProgressSink: Sendable {
    /// Whether texts are wrapped to the terminal on standard error, if there is one.
    var isTerminal: Bool { get }

    /// Shows the latest progress.
    func update(_ line: ProgressLine)

    /// Erases what was drawn, so that the following text begins on an empty line.
    func clear()

    /// Prints text to standard error at once, without disturbing the drawn progress.
    func say(_ text: String)
}

extension ProgressSink {
    var isTerminal: Bool { true }
}

/// Prints the notes and logs of a run above any drawn progress, so that neither disturbs the other. Any thread.
final class NotePrinter: Sendable {
    private let console: Console
    private let progress = Mutex<(any ProgressSink)?>(nil)

    /// Prints to the console's standard error, as long as nothing is drawn there.
    init(_ console: Console) { self.console = console }

    /// Prints above this progress from now on.
    func speak(above progress: any ProgressSink) { self.progress.withLock { $0 = progress } }

    /// Prints a note, which is not part of the result.
    func note(_ text: String) {
        guard let progress = progress.withLock({ $0 }) else { return console.note(text) }
        console.note(text, above: progress)
    }

    /// Prints whole lines.
    func say(_ lines: String) {
        guard let progress = progress.withLock({ $0 }) else { return console.diagnostics(lines) }
        progress.say(lines)
    }
}
