import Glibc
import Synchronization

/// The program's real standard output and error.
enum StandardStreams {
    /// A console on them.
    static func console(json: Bool, quiet: Bool) -> Console {
        Console(
            isJSON: json, isQuiet: quiet, width: terminalWidth(of: STDOUT_FILENO),
            progressWidth: terminalWidth(of: STDERR_FILENO),
            output: { write($0, to: STDOUT_FILENO) }, diagnostics: { write($0, to: STDERR_FILENO) })
    }

    /// Whether a person can be asked: both a terminal to type into and one to read the question from.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// The line a person types; nil when there is none, or when `isCancelled` says so before it is complete.
    ///
    /// Ctrl-C does not end reading by itself, for the signal goes to a thread of its own.
    static func answer(isCancelled: () -> Bool) -> String? {
        while !isCancelled() {
            var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // A terminal is readable only once a line is complete.
            if poll(&descriptor, 1, 100) > 0 { return readLine() }
        }
        return nil
    }

    private static let lock = Mutex(())

    /// Writes all of `text`. A reader that has gone away is no failure: what it wanted it has.
    private static func write(_ text: String, to descriptor: Int32) {
        lock.withLock { _ in
            var text = text
            text.withUTF8 { bytes in
                var rest = UnsafeRawBufferPointer(bytes)
                while !rest.isEmpty {
                    let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                    if count < 0 {
                        if errno == EINTR { continue }
                        return
                    }
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                }
            }
        }
    }

    private static func terminalWidth(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
