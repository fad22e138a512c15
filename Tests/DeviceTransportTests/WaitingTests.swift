import Glibc
import Testing

@testable import DeviceTransport

@Suite("A wait works when the process is out of descriptors") struct WaitingTests {
    @Test("Without a signal the caller checks the condition itself")
    func withoutSignal() throws {
        var descriptors = [pollfd(fd: -1, events: Int16(POLLIN), revents: 0)]
        #expect(try Waiting.wait(&descriptors, OperationContext(limit: .seconds(300)), life: nil))
        #expect(descriptors.count == 1)
    }

    @Test("A limit that has passed is still reported")
    func limit() throws {
        var descriptors = [pollfd(fd: -1, events: Int16(POLLIN), revents: 0)]
        #expect(try !Waiting.wait(&descriptors, OperationContext(), life: nil, until: .now))
    }

    @Test("A cancel ends the wait")
    func cancelled() {
        let cancellation = Cancellation()
        cancellation.cancel()
        #expect(
            code {
                var descriptors = [pollfd(fd: -1, events: Int16(POLLIN), revents: 0)]
                return try Waiting.wait(&descriptors, OperationContext(cancellation: cancellation), life: nil)
            } == .cancelled)
    }
}
