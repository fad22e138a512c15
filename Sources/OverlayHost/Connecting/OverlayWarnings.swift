import Logging
import Synchronization

/// Shows the user the warnings and errors that an overlay logs, if they are not visible in another log.
///
/// Reports about the contract are omitted, because they are for authors of overlays. The number of warnings is
/// limited; a last sentence then explains how to see the others. Any thread.
struct OverlayWarnings: LogHandler {
    /// The largest number of warnings in one session.
    static let most = 20

    /// Counts the warnings of all copies of a handler.
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
    /// This logger, or one that passes warnings and errors to `notice` if this one does not log them.
    package func showingWarnings(_ notice: (@Sendable (String) -> Void)?) -> Logger {
        guard let notice, logLevel > .warning else { return self }
        return Logger(label: label) { _ in OverlayWarnings(notice) }
    }
}
