import Glibc
import Platform
import Synchronization

/// The program's real standard streams.
enum StandardStreams {
    /// Occupies the standard descriptors that the program was started without. Call it before anything is opened: a file or
    /// a connection that got one of these numbers would receive the program's text.
    ///
    /// Without standard input nothing is read, without standard error nothing is said; without standard output every write
    /// fails, so that a lost result is noticed.
    static func occupy() {
        for (descriptor, mode) in [
            (STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
        ] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is the one that is missing.
            _ = open("/dev/null", mode)
        }
    }

    /// A console on them.
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
            // An error of standard error itself cannot be reported anywhere.
            diagnostics: { _ = write($0, to: STDERR_FILENO) }, outputError: { outputError.withLock { $0 } })
    }

    /// The width that the person asks for with `COLUMNS`, also for pipes; nil without a sensible one.
    private static var columns: Int? {
        variable("COLUMNS").flatMap { Int($0) }.flatMap { (20...10_000).contains($0) ? $0 : nil }
    }

    /// A variable of the environment. Before anything of the program changes the environment.
    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Whether a person can be asked: both a terminal to type into and one to read the question from.
    static var canAsk: Bool {
        !isEmbedded.withLock { $0 } && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    }

    /// Whether the streams belong to another program; then no question is asked.
    static let isEmbedded = Mutex(false)

    private static let lock = Mutex(())
    /// Of the first write to standard output that failed.
    private static let outputError = Mutex<Int32?>(nil)

    /// Writes all of `text`; the errno if that fails.
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

    /// Cells and lines of a terminal; nil if the descriptor is none.
    private static func terminalSize(of descriptor: Int32) -> (width: Int, height: Int)? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
    }
}
