import Glibc
import Platform
import Synchronization

/// The program's real standard streams.
enum StandardStreams {
    /// Opens /dev/null for each standard descriptor that is closed. Call before anything is opened: otherwise a file
    /// or connection could get one of these numbers and receive the program's text.
    ///
    /// A missing standard input reads as empty, and a missing standard error discards text. A missing standard output
    /// makes every write fail, so that a lost result is noticed.
    static func occupy() {
        for (descriptor, mode) in [
            (STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
        ] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is the missing descriptor.
            _ = open("/dev/null", mode)
        }
    }

    /// A console that uses the standard streams.
    static func console(json: Bool, quiet: Bool) -> Console {
        let isDumb = variable("TERM") == "dumb"
        let isTerminal = isatty(STDOUT_FILENO) == 1
        return Console(
            isJSON: json, isQuiet: quiet, width: columns ?? terminalSize(of: STDOUT_FILENO)?.width,
            terminal: isTerminal, styling: isTerminal && !isDumb && (variable("NO_COLOR") ?? "").isEmpty,
            progressWidth: isDumb ? nil : terminalSize(of: STDERR_FILENO)?.width,
            progressHeight: terminalSize(of: STDERR_FILENO)?.height,
            output: { text in
                if let error = write(text, to: STDOUT_FILENO) {
                    outputError.withLock { $0 = $0 ?? error }
                }
            },
            bytes: { bytes in
                if let error = bytes.withUnsafeBytes({ write($0, to: STDOUT_FILENO) }) {
                    outputError.withLock { $0 = $0 ?? error }
                }
            },
            // An error of standard error itself cannot be reported.
            diagnostics: { _ = write($0, to: STDERR_FILENO) }, outputError: { outputError.withLock { $0 } })
    }

    /// The width that the user sets with `COLUMNS`, even for pipes; nil without a valid value.
    private static var columns: Int? {
        variable("COLUMNS").flatMap { Int($0) }.flatMap { (20...10_000).contains($0) ? $0 : nil }
    }

    /// An environment variable. Call before the program changes the environment.
    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Whether the user can be asked: there must be a terminal for input and one for the question.
    static var canAsk: Bool {
        !isEmbedded.withLock { $0 } && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    }

    /// Whether the streams belong to another program; then questions are not asked.
    static let isEmbedded = Mutex(false)

    private static let lock = Mutex(())
    /// The errno of the first write to standard output that failed.
    private static let outputError = Mutex<Int32?>(nil)

    /// Writes all of `text`; returns the errno if that fails.
    static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        lock.withLock { _ in
            let problem = writeAll(bytes, to: descriptor)
            return problem == 0 ? nil : problem
        }
    }

    /// The cells and lines of a terminal; nil if the descriptor is not one.
    private static func terminalSize(of descriptor: Int32) -> (width: Int, height: Int)? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
    }
}
