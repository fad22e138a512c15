import Logging
import OverlayHost

/// Passes records to the client of `serve` that another handler does not write because its level is higher.
struct ClientLogHandler: LogHandler {
    /// Receives the level and the line of each record. Any thread.
    typealias Send = @Sendable (ServingHost.LogLevel, String) -> Void

    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    private let category: String
    /// The level of the other handler, which passes on records from this level on, except breaches of the contract.
    private let end: Logger.Level
    private let send: Send

    fileprivate init(
        _ category: String, from level: Logger.Level, below end: Logger.Level, _ send: @escaping Send
    ) {
        logLevel = level
        self.category = category
        self.end = end
        self.send = send
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.level < end || event.metadata?["contract"] != nil else { return }
        send(ServingHost.LogLevel(event.level), StandardErrorLogHandler.text(category, event, metadata))
    }
}

extension Logger {
    /// This logger, which passes records to a client of `serve` as well if the client asked for lower levels than it
    /// has: `debug` or `info`.
    func passing(_ level: ServingHost.LogLevel, _ send: @escaping ClientLogHandler.Send) -> Logger {
        let lowest: Logger.Level
        switch level {
        case .debug: lowest = .debug
        case .info: lowest = .info
        case .notice, .warning, .error: return self
        }
        guard lowest < logLevel else { return self }
        let handlers: [any LogHandler] = [
            handler, ClientLogHandler(label, from: lowest, below: logLevel, send),
        ]
        return Logger(label: label) { _ in MultiplexLogHandler(handlers) }
    }
}

extension ServingHost.LogLevel {
    /// The severity of a record of this level.
    fileprivate init(_ level: Logger.Level) {
        self =
            switch level {
            case .trace, .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error, .critical: .error
            }
    }
}
