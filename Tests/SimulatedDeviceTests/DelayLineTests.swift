import Glibc
import SimulatedDevice
import Testing

@Suite("A link delays bytes without holding up those behind them")
struct DelayLineTests {
    /// Two socket pairs with a line between them.
    private final class Ends {
        let sender: Int32
        let receiver: Int32
        var line: LatencyPipe
        private let inner: [Int32]
        private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)

        init(window: Int = 100_000) {
            var entry: [Int32] = [-1, -1]
            var exit: [Int32] = [-1, -1]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &entry) == 0)
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &exit) == 0)
            sender = entry[0]
            receiver = exit[1]
            inner = [entry[1], exit[0]]
            line = LatencyPipe(from: entry[1], to: exit[0], window: window)
        }

        deinit {
            for descriptor in inner + [sender, receiver] { close(descriptor) }
            buffer.deallocate()
        }

        func put(_ text: String) {
            #expect(send(sender, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count)
        }

        func take(_ now: ContinuousClock.Instant, delay: Duration, transmission: Duration = .zero) {
            line.take(now: now, buffer: buffer, delay: delay) { _ in now + transmission }
        }

        /// The received text; "" for nothing yet, nil for the end.
        func arrived() -> String? {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(receiver, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return count == 0 ? nil : String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        }
    }

    private let start = ContinuousClock.now

    @Test("Bytes sent together are under way together and arrive when their time has come, not before")
    func overlap() {
        let ends = Ends()
        ends.put("first")
        ends.take(start, delay: .milliseconds(10))
        ends.put("second")
        ends.take(start + .milliseconds(1), delay: .milliseconds(10))
        #expect(ends.line.deliver(now: start + .milliseconds(9)) == false)
        #expect(ends.arrived() == "")
        #expect(ends.line.due == start + .milliseconds(10))
        _ = ends.line.deliver(now: start + .milliseconds(10))
        #expect(ends.arrived() == "first")
        _ = ends.line.deliver(now: start + .milliseconds(11))
        #expect(ends.arrived() == "second")
    }

    @Test("Bytes keep their order when the delay shrinks meanwhile")
    func order() {
        let ends = Ends()
        ends.put("slow ")
        ends.take(start, delay: .seconds(10))
        ends.put("fast")
        ends.take(start, delay: .zero)
        _ = ends.line.deliver(now: start + .seconds(1))
        #expect(ends.arrived() == "")
        _ = ends.line.deliver(now: start + .seconds(10))
        #expect(ends.arrived() == "slow fast")
    }

    @Test("A full window stops the sender until something has arrived")
    func window() {
        let ends = Ends(window: 8)
        ends.put("0123456789")
        ends.take(start, delay: .milliseconds(1))
        #expect(ends.line.nextInput(now: start) == nil)
        _ = ends.line.deliver(now: start + .milliseconds(1))
        #expect(ends.arrived() == "01234567")
        ends.take(start + .milliseconds(1), delay: .milliseconds(1))
        _ = ends.line.deliver(now: start + .milliseconds(2))
        #expect(ends.arrived() == "89")
    }

    @Test("While a transmission fills the cable, no further bytes are sent")
    func cable() {
        let ends = Ends()
        ends.put("long")
        ends.take(start, delay: .zero, transmission: .seconds(2))
        ends.put("next")
        #expect((ends.line.nextInput(now: start) ?? start) > start + .seconds(1))
        ends.take(start, delay: .zero)
        _ = ends.line.deliver(now: start + .seconds(2))
        #expect(ends.arrived() == "long")
    }

    @Test("The end of the connection arrives after the last byte and as late")
    func end() {
        let ends = Ends()
        ends.put("last")
        shutdown(ends.sender, Int32(SHUT_WR))
        ends.take(start, delay: .milliseconds(5))
        #expect(!ends.line.isFinished)
        _ = ends.line.deliver(now: start + .milliseconds(5))
        #expect(ends.line.isFinished)
        #expect(ends.arrived() == "last")
        #expect(ends.arrived() == nil)
    }

    @Test("The sender is notified when the receiver is gone")
    func broken() {
        let ends = Ends()
        ends.put("lost")
        shutdown(ends.receiver, Int32(SHUT_RDWR))
        ends.take(start, delay: .zero)
        _ = ends.line.deliver(now: start)
        #expect(ends.line.isFinished)
        #expect(send(ends.sender, "x", 1, Int32(MSG_NOSIGNAL)) == -1)
        #expect(errno == EPIPE)
    }

    @Test("Connections share the cable: their bytes cross one after the other")
    func shared() {
        let cable = SharedBandwidth()
        let first = cable.transmission(1000, rate: 1000)
        let second = cable.transmission(500, rate: 1000)
        #expect(second - first >= .milliseconds(500))
        #expect(cable.transmission(1_000_000, rate: nil) < first)
    }
}
