import OverlayABI
import OverlayBridge

/// The severity of a log record: `OVL_LOG_…`. An open set.
///
/// ```swift
/// func logListing(of titles: [String?], _ host: HostServices) {
///     let missing = titles.count { $0 == nil }
///     let severity: LogSeverity = missing == 0 ? .debug : .warning
///     host.log.write(severity, "books", "Listed the books.", ["without a title": "\(missing)"])
/// }
/// ```
public struct LogSeverity: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// Creates a severity from its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Every step.
    public static let trace = LogSeverity(rawValue: OVL_LOG_TRACE)
    /// Details for finding a fault.
    public static let debug = LogSeverity(rawValue: OVL_LOG_DEBUG)
    /// Normal operations.
    public static let info = LogSeverity(rawValue: OVL_LOG_INFO)
    /// Important information.
    public static let notice = LogSeverity(rawValue: OVL_LOG_NOTICE)
    /// A problem that does not stop the work.
    public static let warning = LogSeverity(rawValue: OVL_LOG_WARNING)
    /// A failure.
    public static let error = LogSeverity(rawValue: OVL_LOG_ERROR)
    /// A breach of the contract by the overlay.
    public static let overlayMisbehaving = LogSeverity(rawValue: OVL_LOG_OVERLAY_MISBEHAVING)
    /// A breach of the contract by the host.
    public static let hostMisbehaving = LogSeverity(rawValue: OVL_LOG_HOST_MISBEHAVING)
}

/// The log of the host. An overlay never writes to stdout or stderr itself. [any thread]
///
/// Does not block or fail. Without a log service, nothing is recorded.
///
/// ```swift
/// host.log.info("books", "Listed the books.", ["count": "12"])
/// ```
public struct LogService: @unchecked Sendable {
    // `@unchecked`: a constant copy of a table. Its functions may be called from any thread.
    private let table: ovl_log_service

    /// Creates the service for a table of the host. The table need not contain all functions.
    package init(_ table: ovl_log_service) { self.table = table }

    /// A service that records nothing.
    package static let silent = LogService(ovl_log_service())

    /// Whether a record with this severity would be kept.
    public func isEnabled(_ severity: LogSeverity) -> Bool {
        guard table.write != nil else { return false }
        guard let enabled = table.enabled else { return true }
        return enabled(table.ctx, severity.rawValue) != 0
    }

    /// Records a message with a category, keys and values.
    ///
    /// The message is evaluated only if it will be kept.
    public func write(
        _ severity: LogSeverity, _ category: String, _ message: @autoclosure () -> String,
        _ pairs: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) {
        guard isEnabled(severity), let write = table.write else { return }
        let arena = Arena()
        var category = arena.text(category)
        var message = arena.text(message())
        let pairs = pairs()
        withExtendedLifetime(arena) {
            guard !pairs.isEmpty else {
                write(table.ctx, severity.rawValue, &category, &message, nil)
                return
            }
            var list = arena.list(Array(pairs)) { pair in
                var record = ovl_pair.sized()
                record.key = arena.text(pair.key)
                record.value = arena.text(pair.value)
                return record
            }
            write(table.ctx, severity.rawValue, &category, &message, &list)
        }
    }

    /// Records a single step.
    public func trace(
        _ category: String, _ message: @autoclosure () -> String,
        _ pairs: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) { write(.trace, category, message(), pairs()) }

    /// Records details for finding a fault.
    public func debug(
        _ category: String, _ message: @autoclosure () -> String,
        _ pairs: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) { write(.debug, category, message(), pairs()) }

    /// Records a normal operation.
    public func info(
        _ category: String, _ message: @autoclosure () -> String,
        _ pairs: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) { write(.info, category, message(), pairs()) }

    /// Records important information.
    public func notice(
        _ category: String, _ message: @autoclosure () -> String,
        _ pairs: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) { write(.notice, category, message(), pairs()) }

    /// Records a problem that does not stop the work.
    public func warning(
        _ category: String, _ message: @autoclosure () -> String,
        _ pairs: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) { write(.warning, category, message(), pairs()) }

    /// Records a failure.
    public func error(
        _ category: String, _ message: @autoclosure () -> String,
        _ pairs: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) { write(.error, category, message(), pairs()) }
}
