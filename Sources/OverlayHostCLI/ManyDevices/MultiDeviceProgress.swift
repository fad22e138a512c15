import Synchronization

/// Shows the progress of several devices, one line for each. On a terminal it is redrawn at most ten times a second,
/// and only after the first second. Without a terminal, each step is a line that begins with the device, if
/// `--verbose` is given. Any thread.
final class MultiDeviceProgress: Sendable {
    private struct Slot {
        var line: ProgressLine?
        var started: ContinuousClock.Instant?
        /// The outcome; nil while the run continues.
        var ending: String?
        /// The last phase printed if lines cannot be redrawn.
        var phase: String?
    }

    private struct State {
        var slots: [Slot]
        var started: ContinuousClock.Instant?
        var drawn: ContinuousClock.Instant?
        /// The number of drawn lines above the cursor.
        var height = 0
    }

    private let console: Console
    private let labels: [String]
    private let writesLines: Bool
    private let state: Mutex<State>

    /// Creates a display on the console's standard error, with a line for each label.
    init(console: Console, labels: [String], writesLines: Bool) {
        self.console = console
        self.labels = labels.map(TerminalText.sanitized)
        self.writesLines = writesLines
        state = Mutex(State(slots: labels.map { _ in Slot() }))
    }

    /// The progress sink of one device.
    func sink(_ slot: Int) -> any ProgressSink { Sink(display: self, slot: slot) }

    private struct Sink: ProgressSink {
        let display: MultiDeviceProgress
        let slot: Int

        func update(_ line: ProgressLine) { display.update(slot, line, now: .now) }
        func clear() { display.rest(slot) }
        func say(_ text: String) { display.say(text) }
    }

    /// Shows the latest progress of a device.
    func update(_ slot: Int, _ line: ProgressLine, now: ContinuousClock.Instant) {
        guard !console.isQuiet else { return }
        state.withLock { state in
            state.started = state.started ?? now
            let started = state.slots[slot].started ?? now
            state.slots[slot].started = started
            state.slots[slot].line = line
            guard console.progressWidth != nil else {
                if writesLines { announce(slot, line, &state) }
                return
            }
            draw(&state, now, isForced: false)
        }
    }

    /// Shows that a device has ended, in a few words.
    func end(_ slot: Int, _ ending: String, now: ContinuousClock.Instant = .now) {
        guard !console.isQuiet else { return }
        state.withLock { state in
            state.slots[slot].ending = TerminalText.sanitized(ending)
            if state.height > 0 { draw(&state, now, isForced: true) }
        }
    }

    /// Prints text above the lines.
    func say(_ text: String) {
        state.withLock { state in
            let wasDrawn = state.height > 0
            console.diagnostics(erasing(&state) + text)
            if wasDrawn { draw(&state, .now, isForced: true) }
        }
    }

    /// Erases the lines.
    func clear() {
        state.withLock { state in
            let text = erasing(&state)
            if !text.isEmpty { console.diagnostics(text) }
        }
    }

    private func rest(_ slot: Int) { state.withLock { $0.slots[slot].line = nil } }

    private func announce(_ slot: Int, _ line: ProgressLine, _ state: inout State) {
        guard state.slots[slot].phase != line.phase else { return }
        state.slots[slot].phase = line.phase
        console.diagnostics("\(labels[slot]): \(line.announcement)\n")
    }

    private func erasing(_ state: inout State) -> String {
        defer { state.height = 0 }
        return state.height > 0 ? "\r\u{1B}[\(state.height)A\u{1B}[J" : ""
    }

    private func draw(_ state: inout State, _ now: ContinuousClock.Instant, isForced: Bool) {
        guard let width = console.progressWidth, let started = state.started else { return }
        guard isForced || started.duration(to: now) >= ProgressLine.delay else { return }
        if !isForced, let drawn = state.drawn, drawn.duration(to: now) < .milliseconds(100) { return }
        state.drawn = now
        let lines = lines(state, now, width: width, height: console.progressHeight ?? 24)
        let text = lines.map { $0 + "\n" }.joined()
        console.diagnostics(erasing(&state) + text)
        state.height = lines.count
    }

    /// The lines that fit on the terminal, those of working devices first.
    private func lines(_ state: State, _ now: ContinuousClock.Instant, width: Int, height: Int) -> [String] {
        let room = max(1, height - 2)
        var shown = Array(labels.indices)
        if shown.count > room {
            let working = shown.filter { state.slots[$0].ending == nil }
            let ended = shown.filter { state.slots[$0].ending != nil }
            shown = Array((working + ended).prefix(max(1, room - 1))).sorted()
        }
        let column = min(labels.map { TerminalText.width(of: $0) }.max() ?? 0, max(8, width / 3))
        let lines = shown.map { slot -> String in
            let name = TerminalText.padded(
                TerminalText.truncated(labels[slot], to: column), to: column, alignment: .left)
            let rest = max(8, width - column - 3)
            return TerminalText.truncated(
                name + "  " + words(state.slots[slot], now, rest), to: max(1, width - 1))
        }
        let hidden = labels.count - shown.count
        return hidden > 0 ? lines + ["… and \(hidden) more"] : lines
    }

    private func words(_ slot: Slot, _ now: ContinuousClock.Instant, _ width: Int) -> String {
        if let ending = slot.ending { return ending }
        guard let line = slot.line else { return "…" }
        return line.render(elapsed: (slot.started ?? now).duration(to: now), width: width)
    }
}
