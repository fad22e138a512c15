import Glibc
import JSON
import OverlayHost
import Platform
import Synchronization

/// This program as a child process, which runs a command line once and is connected to this process. `WatchingParent`
/// is the other end.
///
/// It is in the process group of this process, so that it can read from the terminal and Ctrl-C reaches both. Any
/// thread.
final class CommandProcess: Sendable {
    /// The overlay that served the command. The command runs again when this file is rebuilt.
    struct Report: Sendable, Equatable {
        var file: String
        /// The private copy that was loaded; nil if there was none.
        var copy: String?
    }

    private struct State {
        /// 0 once the process has ended, because another process may then get its number.
        var process: pid_t = 0
        var report: Report?
        var hasLostOutput = false
    }

    private let state = Mutex(State())
    private let connection: Int32
    /// Threads that pass on the output of the process, if it does not use the streams of this process.
    private let pumps: [SystemThread]

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - program: the path of its file.
    ///   - words: the command line after the program's name.
    ///   - console: receives the output of the process; nil lets it use the streams of this process.
    init(program: String, words: [String], device: String?, rebuiltFile: String?, to console: Console?)
        throws(HostError)
    {
        let connection = try Self.makePair()
        defer { close(connection.theirs) }
        self.connection = connection.ours
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var streams: [SocketPair] = []
        defer { for stream in streams { close(stream.theirs) } }
        if console != nil {
            for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
                let pair = try Self.makePair()
                streams.append(pair)
                posix_spawn_file_actions_adddup2(&actions, pair.theirs, descriptor)
            }
        }
        posix_spawn_file_actions_adddup2(&actions, connection.theirs, Self.theirNumber)
        let arguments =
            ["overlayhost", WatchingParent.mark, String(Self.theirNumber), device ?? "", rebuiltFile ?? ""]
            + words
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        let problem = posix_spawn(&process, program, &actions, nil, &pointers, environ)
        guard problem == 0 else {
            close(connection.ours)
            for stream in streams { close(stream.ours) }
            throw HostError(
                .hostIO, "Cannot start the command: \(systemText(problem)).", native: .posix(problem))
        }
        pumps = console.map { Self.pump(streams.map(\.ours), to: $0) } ?? []
        state.withLock { $0.process = process }
    }

    deinit { close(connection) }

    /// The descriptor of the connection in the child process: the first after the standard streams.
    private static let theirNumber: Int32 = 3

    /// The last report of the process; nil if there is none.
    var report: Report? { state.withLock { $0.report } }

    /// Whether the process could not write its result.
    var hasLostOutput: Bool { state.withLock { $0.hasLostOutput } }

    /// Tells the process that there is a new build.
    func tellNewBuild() { _ = writeAll([1], to: connection) }

    /// Cancels the command, as Ctrl-C does. May be called repeatedly.
    func interrupt() { shutdown(connection, Int32(SHUT_WR)) }

    /// Ends the process immediately.
    func kill() {
        state.withLock { if $0.process > 0 { _ = Glibc.kill($0.process, SIGKILL) } }
    }

    /// Reads the reports of the process until it ends, and calls `news` after each.
    func readReports(_ news: () -> Void) {
        var (line, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while true {
            let count = read(connection, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            for byte in bytes.prefix(count) {
                guard byte == UInt8(ascii: "\n") else {
                    line.append(byte)
                    continue
                }
                take(line)
                line = []
                news()
            }
        }
    }

    /// Waits for the end and returns the exit status; for a signal it is 128 plus the signal's number, as in a shell.
    func wait() -> (status: ExitStatus, signal: Int32?) {
        let process = state.withLock { $0.process }
        waitForEnd(ofChild: process)
        for pump in pumps { pump.join() }
        let status = state.withLock { state in
            state.process = 0
            return reap(child: process)
        }
        let signal = status & 0x7F
        return signal == 0
            ? (ExitStatus(rawValue: (status >> 8) & 0xFF), nil) : (ExitStatus(rawValue: 128 + signal), signal)
    }

    private func take(_ line: [UInt8]) {
        let message: JSONObject?
        do { message = try JSONValue(parsing: line).object } catch { message = nil }
        state.withLock { state in
            if let file = message?["file"]?.string {
                state.report = Report(file: file, copy: message?["copy"]?.string)
            }
            if message?["output_failed"]?.bool == true { state.hasLostOutput = true }
        }
    }

    private static func makePair() throws(HostError) -> SocketPair {
        guard let pair = SocketPair() else {
            throw HostError(
                .hostIO, "Cannot start the command: \(systemText(errno)).", native: .posix(errno))
        }
        return pair
    }

    /// Passes on the bytes of standard output, and the text of standard error line by line.
    private static func pump(_ streams: [Int32], to console: Console) -> [SystemThread] {
        streams.enumerated().compactMap { index, stream in
            SystemThread {
                var (text, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
                while true {
                    let count = read(stream, &bytes, bytes.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { break }
                    if index == 0 {
                        console.bytes(Array(bytes.prefix(count)))
                    } else {
                        text += bytes.prefix(count)
                        guard let end = text.lastIndex(of: UInt8(ascii: "\n")) else { continue }
                        console.diagnostics(String(decoding: text[...end], as: UTF8.self))
                        text.removeSubrange(...end)
                    }
                }
                if !text.isEmpty { console.diagnostics(String(decoding: text, as: UTF8.self)) }
                close(stream)
            }
        }
    }
}
