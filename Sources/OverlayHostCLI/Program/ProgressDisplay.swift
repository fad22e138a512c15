import Synchronization

/// Draws a progress line on the terminal, at most ten times a second, and only for what takes over a second.
final class ProgressDisplay: Sendable {
    private struct State {
        var started: ContinuousClock.Instant?
        var drawn: ContinuousClock.Instant?
    }

    private let console: Console
    private let state = Mutex(State())

    /// Draws on the console's standard error; does nothing without a terminal there.
    init(console: Console) { self.console = console }

    /// Shows the newest state. Any thread.
    func update(_ line: ProgressLine, now: ContinuousClock.Instant = .now) {
        guard let width = console.progressWidth, !console.isQuiet else { return }
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

    /// Wipes the line, so that what follows begins on a clean one. Any thread.
    func clear() {
        state.withLock { state in
            if state.drawn != nil { console.diagnostics("\r\u{1B}[K") }
            state = State()
        }
    }
}
