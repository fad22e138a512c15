import Logging
import Synchronization

/// Shows a person the warnings and errors that an overlay logs, when no stream of diagnostics shows them.
///
/// Reports about the contract are for authors of overlays and are left out. An overlay that warns without end fills no
/// terminal: after the first ones a last sentence says how to see the rest. Any thread.
struct OverlayWarnings: LogHandler {
    /// Warnings of one session that are shown.
    static let most = 20

    /// Counts what all copies of a handler have shown.
    private final class Count: Sendable {
        let shown = Mutex(0)
    }

    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning
    private let count = Count()
    private let notice: @Sendable (String) -> Void

    /// - Parameter notice: called with each sentence.
    init(_ notice: @escaping @Sendable (String) -> Void) { self.notice = notice }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.metadata?["contract"] == nil else { return }
        let number = count.shown.withLock { shown in
            shown = min(shown + 1, Self.most + 2)
            return shown
        }
        guard number <= Self.most + 1 else { return }
        notice(
            number <= Self.most
                ? "\(event.message)"
                : "The overlay has more messages. Use --verbose to see them all.")
    }
}

extension Logger {
    /// This logger, or one that hands warnings and errors to `notice` where this one writes neither.
    func showingWarnings(_ notice: (@Sendable (String) -> Void)?) -> Logger {
        guard let notice, logLevel > .warning else { return self }
        return Logger(label: label) { _ in OverlayWarnings(notice) }
    }
}
