import DeviceTransport
import Glibc

/// What a person typed in reply to a question.
enum Answer: Equatable {
    /// The line, without the spaces around it.
    case line(String)
    /// There is nothing to read from.
    case end
    /// The person pressed Ctrl-C.
    case cancelled

    /// Most bytes of a line that count.
    private static let longest = 1024
    /// Milliseconds between two looks at the cancellation.
    private static let interval: Int32 = 200

    /// Waits for a line on `descriptor`, or for the cancellation. Blocks; any thread.
    static func read(_ descriptor: Int32, _ cancellation: Cancellation) -> Answer {
        var line: [UInt8] = []
        while !cancellation.isCancelled {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, interval)
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            var byte: UInt8 = 0
            let count = ready < 0 ? -1 : Glibc.read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return line.isEmpty ? .end : .line(text(line)) }
            if byte == UInt8(ascii: "\n") { return .line(text(line)) }
            if line.count < longest { line.append(byte) }
        }
        return .cancelled
    }

    private static func text(_ line: [UInt8]) -> String {
        String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
