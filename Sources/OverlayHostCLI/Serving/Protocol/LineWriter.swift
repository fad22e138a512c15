import Dispatch
import Glibc
import JSON
import Platform
import Synchronization

/// Writes messages, one per line, on its own thread, so that a client that does not read does not block devices. Any
/// thread.
final class LineWriter: Sendable {
    private struct State {
        var lines: [String] = []
        var isBroken = false
    }

    /// The most lines that wait for the client. Beyond that, progress and logs are dropped until the client reads.
    /// Answers, and anything that the client could not learn later, are never dropped.
    private static let mostNotifications = 4096
    private static let dispensable: Set<String> = ["progress", "log"]

    private let output: Int32
    private let broken: @Sendable () -> Void
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    /// Counts the lines that are not written yet.
    private let unwritten = DispatchGroup()

    /// Writes to `output`, which the caller keeps. Nil if the system has no thread left.
    ///
    /// - Parameter broken: called once, on the writing thread, when writing is no longer possible.
    init?(_ output: Int32, broken: @escaping @Sendable () -> Void) {
        self.output = output
        self.broken = broken
        guard SystemThread.detached({ [self] in run() }) else { return nil }
    }

    /// Sends an answer.
    func send(_ message: JSONValue) { add(message.text(.line) + "\n", most: .max) }

    /// Sends a notification.
    func notify(_ method: String, _ parameters: JSONValue) {
        let message = JSONValue.document([
            "jsonrpc": .string("2.0"), "method": .string(method), "params": parameters,
        ])
        add(
            message.text(.line) + "\n",
            most: Self.dispensable.contains(method) ? Self.mostNotifications : .max)
    }

    /// Whether so much is unwritten that further requests should not be read.
    var isBehind: Bool { state.withLock { $0.lines.count >= Self.mostNotifications } }

    /// Waits until everything is written, but not longer than `limit`.
    func drain(_ limit: DispatchTimeInterval) { _ = unwritten.wait(timeout: .now() + limit) }

    private func add(_ line: String, most: Int) {
        let isAdded = state.withLock { state in
            guard !state.isBroken, state.lines.count < most else { return false }
            state.lines.append(line)
            unwritten.enter()
            return true
        }
        if isAdded { wake.signal() }
    }

    private func run() {
        while true {
            wake.wait()
            let lines = state.withLock { state in
                defer { state.lines = [] }
                return state.lines
            }
            guard !lines.isEmpty else { continue }
            var text = lines.joined()
            let isWritten = text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
            let lost = state.withLock { state in
                guard !isWritten else { return 0 }
                state.isBroken = true
                defer { state.lines = [] }
                return state.lines.count
            }
            for _ in 0..<lines.count + lost { unwritten.leave() }
            guard isWritten else { return broken() }
        }
    }

    /// Writes all bytes, even to a pipe that the client has made non-blocking; false if that fails.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(output, part.baseAddress, part.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                var room = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                _ = poll(&room, 1, -1)
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }
}
