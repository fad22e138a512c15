import Synchronization

/// Says notes and logs of a whole run while progress may be drawn: above it, so that neither tears the other. Any thread.
final class NotePrinter: Sendable {
    private let console: Console
    private let progress = Mutex<(any ProgressSink)?>(nil)

    /// Writes to the console's standard error, where nothing is drawn yet.
    init(_ console: Console) { self.console = console }

    /// From now on says everything above this.
    func speak(above progress: any ProgressSink) { self.progress.withLock { $0 = progress } }

    /// Says something that is no result.
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
