import Glibc
import Platform

/// Reads lines up to a maximum length from a descriptor. Use from one thread at a time; any thread may stop it.
final class LineReader: Sendable {
    /// The result of a read.
    enum Line: Equatable {
        /// A line without its line end.
        case line([UInt8])
        /// A line that was too long. It is discarded.
        case tooLong
        /// The input has ended, or the reader was stopped.
        case end
    }

    private let input: Int32
    private let longest: Int
    /// Readable once the reader has been stopped.
    private let wake = WakeUpDescriptor()
    /// Bytes that were read but not returned. Unchecked: only the thread that calls `next` uses it.
    private nonisolated(unsafe) var buffer: [UInt8] = []
    private nonisolated(unsafe) var position = 0
    /// The position at which the search for a line end continues.
    private nonisolated(unsafe) var searched = 0
    private nonisolated(unsafe) var isSkipping = false
    private nonisolated(unsafe) var isAtEnd = false

    /// Reads from `input`, which the caller keeps. Nil if the process is out of descriptors.
    init?(_ input: Int32, longest: Int) {
        guard wake.descriptor >= 0 else { return nil }
        self.input = input
        self.longest = longest
    }

    /// Makes `next` return the end from now on. Any thread.
    func stop() { wake.signal() }

    /// Whether the reader was stopped, or the other end of the input is closed, as far as the kernel shows without
    /// reading.
    var isHungUp: Bool {
        var waits = [
            pollfd(fd: input, events: 0, revents: 0),
            pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&waits, 2, 0)
        return waits[0].revents & Int16(POLLHUP) != 0 || waits[1].revents != 0
    }

    /// The next line that is not empty. The last line may lack its line feed.
    func next() -> Line {
        while true {
            while let line = takeLine() {
                if line != .line([]) { return line }
            }
            if isAtEnd {
                let rest = Array(buffer[position...])
                (buffer, position, searched) = ([], 0, 0)
                return rest.isEmpty || isSkipping ? .end : .line(rest)
            }
            fill()
        }
    }

    /// The next complete line in the buffer; `.tooLong` as soon as a line exceeds the limit.
    private func takeLine() -> Line? {
        let end = buffer.withUnsafeBufferPointer { bytes in
            bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
        }
        guard let end else {
            searched = buffer.count
            guard buffer.count - position > longest else { return nil }
            (buffer, position, searched) = ([], 0, 0)
            defer { isSkipping = true }
            return isSkipping ? nil : .tooLong
        }
        defer {
            position = end + 1
            searched = position
            // Returned bytes are removed only rarely, because that moves the rest.
            if position == buffer.count || position > 1 << 20 {
                buffer.removeFirst(position)
                (position, searched) = (0, 0)
            }
        }
        if isSkipping {
            isSkipping = false
            return .line([])
        }
        return end - position > longest ? .tooLong : .line(Array(buffer[position..<end]))
    }

    private func fill() {
        var waits = [
            pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let ready = poll(&waits, 2, -1)
        if ready < 0, errno == EINTR { return }
        guard ready >= 0, waits[1].revents == 0 else {
            isAtEnd = true
            (buffer, position, searched) = ([], 0, 0)
            return
        }
        let room = 64 << 10
        let old = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: room))
        let count = buffer.withUnsafeMutableBytes {
            read(input, UnsafeMutableRawBufferPointer(rebasing: $0[old...]).baseAddress, room)
        }
        buffer.removeLast(room - max(0, count))
        if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { isAtEnd = true }
    }
}
