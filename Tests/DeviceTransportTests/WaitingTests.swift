import Glibc
import Testing

@testable import DeviceTransport

@Suite("Waiting when the process is out of descriptors") struct WaitingTests {
    @Test("a signal that could not be made lets the caller look for itself")
    func withoutSignal() throws {
        var descriptors = [pollfd(fd: -1, events: Int16(POLLIN), revents: 0)]
        #expect(try Waiting.wait(&descriptors, OperationContext(limit: .seconds(300)), life: nil))
        #expect(descriptors.count == 1)
    }

    @Test("a limit that has passed is still told")
    func limit() throws {
        var descriptors = [pollfd(fd: -1, events: Int16(POLLIN), revents: 0)]
        #expect(try !Waiting.wait(&descriptors, OperationContext(), life: nil, until: .now))
    }

    @Test("a cancel ends it")
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
