import OverlayABI
import OverlayBridge

/// How much a log record matters: `OVL_LOG_…`. An open set.
public struct LogSeverity: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// A severity by its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Every step.
    public static let trace = LogSeverity(rawValue: OVL_LOG_TRACE)
    /// For someone who looks for a fault.
    public static let debug = LogSeverity(rawValue: OVL_LOG_DEBUG)
    /// What is being done.
    public static let info = LogSeverity(rawValue: OVL_LOG_INFO)
    /// Worth knowing.
    public static let notice = LogSeverity(rawValue: OVL_LOG_NOTICE)
    /// Something is wrong, but the work continues.
    public static let warning = LogSeverity(rawValue: OVL_LOG_WARNING)
    /// Something failed.
    public static let error = LogSeverity(rawValue: OVL_LOG_ERROR)
    /// The overlay broke the contract.
    public static let overlayMisbehaving = LogSeverity(rawValue: OVL_LOG_OVERLAY_MISBEHAVING)
    /// The host broke the contract.
    public static let hostMisbehaving = LogSeverity(rawValue: OVL_LOG_HOST_MISBEHAVING)
}

/// The log of the host; an overlay never writes to stdout or stderr itself. [any thread]
///
/// Never blocks and never fails. Without a log service nothing is recorded.
///
///     host.log.info("books", "Listed the books.", ["count": "12"])
public struct LogService: @unchecked Sendable {
    // `@unchecked`: a constant copy of a table; its functions may be called from any thread.
    private let table: ovl_log_service

    /// The service that a table of the host provides. Functions may be missing in it.
    package init(_ table: ovl_log_service) { self.table = table }

    /// Whether a record of that severity would be kept.
    public func isEnabled(_ severity: LogSeverity) -> Bool {
        guard table.write != nil else { return false }
        guard let enabled = table.enabled else { return true }
        return enabled(table.ctx, severity.rawValue) != 0
    }

    /// Records a message under a category, with keys and values.
    ///
    /// The message is made only if it will be kept.
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

    /// Records every step.
    public func trace(
        _ category: String, _ message: @autoclosure () -> String,
        _ pairs: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) { write(.trace, category, message(), pairs()) }

    /// Records what helps to find a fault.
    public func debug(
        _ category: String, _ message: @autoclosure () -> String,
        _ pairs: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) { write(.debug, category, message(), pairs()) }

    /// Records what is being done.
    public func info(
        _ category: String, _ message: @autoclosure () -> String,
        _ pairs: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) { write(.info, category, message(), pairs()) }

    /// Records something worth knowing.
    public func notice(
        _ category: String, _ message: @autoclosure () -> String,
        _ pairs: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) { write(.notice, category, message(), pairs()) }

    /// Records that something is wrong while the work continues.
    public func warning(
        _ category: String, _ message: @autoclosure () -> String,
        _ pairs: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) { write(.warning, category, message(), pairs()) }

    /// Records that something failed.
    public func error(
        _ category: String, _ message: @autoclosure () -> String,
        _ pairs: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) { write(.error, category, message(), pairs()) }
}
