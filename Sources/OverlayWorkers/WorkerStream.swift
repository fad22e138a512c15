import Glibc
import Platform
import Synchronization

/// A standard stream of a worker, to which the overlay writes. The text is kept for reports, and each line is passed
/// to a listener if there is one. Any thread.
final class WorkerStream: Sendable {
    /// The largest part of a line that is passed on together, in bytes.
    private static let longestLine = 8192

    private struct State {
        /// The descriptor for reading; -1 after reading has ended.
        var descriptor: Int32 = -1
        var captured = CapturedOutput()
        /// An incomplete line.
        var line: [UInt8] = []
        var isTold = false
    }

    private let state = Mutex(State())
    private let hear: (@Sendable (String) -> Void)?

    /// - Parameter hear: receives the lines in order, without terminal control characters.
    init(_ hear: (@Sendable (String) -> Void)?) { self.hear = hear }

    deinit { close() }

    /// Reads from a nonblocking descriptor, and closes it at the end.
    func open(_ descriptor: Int32) { state.withLock { $0.descriptor = descriptor } }

    /// Stops reading.
    func close() {
        state.withLock { state in
            endLine(&state)
            if state.descriptor >= 0 { _ = Glibc.close(state.descriptor) }
            state.descriptor = -1
        }
    }

    /// True at the first access after the overlay has written something, and false afterwards.
    var isNews: Bool {
        state.withLock { state in
            guard state.captured.count > 0, !state.isTold else { return false }
            state.isTold = true
            return true
        }
    }

    /// The output for reports; nil if there is none.
    var words: String? { state.withLock { $0.captured.words } }

    /// Reads some output. Returns false when no process can write any more.
    func read() -> Bool { state.withLock { read(&$0).goesOn } }

    /// Reads the remaining output, up to a limit.
    func readAll() {
        state.withLock { state in
            var most = 64
            while most > 0, read(&state).count > 0 { most -= 1 }
        }
    }

    /// Reads the remaining output, up to a limit, and also passes on an incomplete last line.
    func readToEnd() {
        readAll()
        state.withLock { endLine(&$0) }
    }

    private func read(_ state: inout State) -> (count: Int, goesOn: Bool) {
        guard state.descriptor >= 0 else { return (0, false) }
        var buffer = [UInt8](repeating: 0, count: 16384)
        let size = Glibc.read(state.descriptor, &buffer, buffer.count)
        if size < 0 { return (0, errno == EINTR || errno == EAGAIN) }
        if size == 0 { return (0, false) }
        state.captured.add(buffer[..<size])
        if hear != nil { hand(buffer[..<size], &state) }
        return (size, true)
    }

    /// Passes on complete lines, and parts of a line that is too long.
    private func hand(_ bytes: ArraySlice<UInt8>, _ state: inout State) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            report(state.line + rest[..<end])
            state.line = []
            rest = rest[(end + 1)...]
        }
        state.line += rest
        if state.line.count >= Self.longestLine { endLine(&state) }
    }

    private func endLine(_ state: inout State) {
        report(state.line)
        state.line = []
    }

    private func report(_ line: [UInt8]) {
        guard let hear, !line.isEmpty else { return }
        let scalars = String(decoding: line, as: UTF8.self).unicodeScalars
        hear(String(String.UnicodeScalarView(scalars.filter { !$0.isControl })))
    }
}
