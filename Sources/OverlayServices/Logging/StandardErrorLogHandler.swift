import Glibc
import JSON
import Logging
import Platform

/// Writes each record as one line to standard error: time, level, category, message, `key=value` pairs.
///
/// Each line is a single write(2), so that lines of several threads do not mix. Control characters are escaped,
/// because a device or overlay could use them to control the terminal.
///
/// ```swift
/// let loggers = SessionLoggers(.init(label: "bookshelf") { StandardErrorLogHandler(category: $0, level: .info) })
/// loggers.host.info("The session begins.", metadata: ["device": "iPad"])
/// ```
public struct StandardErrorLogHandler: LogHandler {
    /// The destination of lines, and the clock for their times.
    package struct Output: Sendable {
        /// Writes a line, including its end.
        var write: @Sendable (String) -> Void
        /// The time in nanoseconds since 1970.
        var now: @Sendable () -> Int64

        /// Creates a destination for lines with a clock in nanoseconds since 1970. The default is the system's clock.
        package init(
            now: @escaping @Sendable () -> Int64 = { Int64(SystemClock.wall) },
            write: @escaping @Sendable (String) -> Void
        ) {
            self.write = write
            self.now = now
        }

        /// File descriptor 2 and the system's clock.
        package static let standardError = Output(write: writeToStandardError)
    }

    /// The pairs in every record.
    public var metadata: Logger.Metadata = [:]
    /// The lowest level that is written.
    public var logLevel: Logger.Level
    /// Provides pairs for each record at the time of its creation.
    public var metadataProvider: Logger.MetadataProvider?

    private let category: String
    private let output: Output

    /// Creates a handler for a category that writes records of `level` and above.
    public init(category: String, level: Logger.Level) {
        self.init(category: category, level: level, output: .standardError)
    }

    /// Creates a handler for a category that writes records of `level` and above to an output.
    package init(category: String, level: Logger.Level, output: Output) {
        self.category = category
        logLevel = level
        self.output = output
    }

    /// A pair in every record.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one record.
    public func log(event: LogEvent) {
        var pairs = metadata
        if let more = metadataProvider?.get() { pairs.merge(more) { _, new in new } }
        let text = Self.text(category, event, pairs)
        output.write("\(time(output.now())) \(event.level) \(text)\n")
    }

    /// The category, the message and the pairs of a record in one line without its end.
    ///
    /// - Parameter metadata: the pairs in every record.
    package static func text(
        _ category: String, _ event: LogEvent, _ metadata: Logger.Metadata = [:]
    ) -> String {
        var line = "\(category): \(escaped("\(event.message)"))"
        let pairs = metadata.merging(event.metadata ?? [:]) { _, new in new }
        for (key, value) in pairs.sorted(by: { $0.key < $1.key }) {
            line += " \(escaped(key))=\(quoted("\(value)"))"
        }
        return line
    }

    private func time(_ nanoseconds: Int64) -> String {
        var seconds = time_t(nanoseconds / 1_000_000_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let numbers = [(parts.tm_hour, 2), (parts.tm_min, 2), (parts.tm_sec, 2)].map {
            $0.padded($1)
        }
        let milliseconds = Int(nanoseconds / 1_000_000 % 1000)
        return numbers.joined(separator: ":") + "." + milliseconds.padded(3)
    }

    private static func quoted(_ value: String) -> String {
        let needsQuotes = value.isEmpty || value.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        return needsQuotes ? JSONValue.string(escaped(value)).text() : escaped(value)
    }

    /// Whether a terminal interprets a character as a control, or changes the text direction at it.
    private static func isTerminalControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default:
            (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
    }

    /// Line ends become ⏎; other control characters become `\u{…}`.
    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isTerminalControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "⏎"
            case "\r": continue
            case "\t": result += " "
            case _ where isTerminalControl(scalar):
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// Writes a line to standard error. Errors are ignored, because there is no other place to report them.
private func writeToStandardError(_ line: String) {
    var rest = Array(line.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
