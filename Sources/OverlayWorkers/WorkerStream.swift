import Glibc
import Platform
import Synchronization

/// One of the standard streams of a worker, to which the overlay writes. The text is kept for reports, and each line goes to
/// a listener if there is one. Any thread.
final class WorkerStream: Sendable {
    /// Bytes of a line that are handed on together.
    private static let longestLine = 8192

    private struct State {
        /// Where it is read; -1 once reading has ended.
        var descriptor: Int32 = -1
        var captured = CapturedOutput()
        /// A line that has not ended.
        var line: [UInt8] = []
        var isTold = false
    }

    private let state = Mutex(State())
    private let hear: (@Sendable (String) -> Void)?

    /// - Parameter hear: gets each line, without characters that terminals obey, in their order.
    init(_ hear: (@Sendable (String) -> Void)?) { self.hear = hear }

    deinit { close() }

    /// Reads from a descriptor that does not block, and closes it in the end.
    func open(_ descriptor: Int32) { state.withLock { $0.descriptor = descriptor } }

    /// Reads no more.
    func close() {
        state.withLock { state in
            endLine(&state)
            if state.descriptor >= 0 { _ = Glibc.close(state.descriptor) }
            state.descriptor = -1
        }
    }

    /// Whether something was written for the first time since this was asked.
    var isNews: Bool {
        state.withLock { state in
            guard state.captured.count > 0, !state.isTold else { return false }
            state.isTold = true
            return true
        }
    }

    /// What was written, as reports show it; nil if nothing was.
    var words: String? { state.withLock { $0.captured.words } }

    /// Reads some of it; false once no process can write any more.
    func read() -> Bool { state.withLock { read(&$0).goesOn } }

    /// Reads the rest, up to a limit.
    func readAll() {
        state.withLock { state in
            var most = 64
            while most > 0, read(&state).count > 0 { most -= 1 }
        }
    }

    /// The same, and hands on also a line that has not ended.
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

    /// Hands on the lines that are whole, and pieces of one that does not end.
    private func hand(_ bytes: ArraySlice<UInt8>, _ state: inout State) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            tell(state.line + rest[..<end])
            state.line = []
            rest = rest[(end + 1)...]
        }
        state.line += rest
        if state.line.count >= Self.longestLine { endLine(&state) }
    }

    private func endLine(_ state: inout State) {
        tell(state.line)
        state.line = []
    }

    private func tell(_ line: [UInt8]) {
        guard let hear, !line.isEmpty else { return }
        let scalars = String(decoding: line, as: UTF8.self).unicodeScalars
        hear(String(String.UnicodeScalarView(scalars.filter { !$0.isControl })))
    }
}
