import Dispatch
import Testing

@testable import DeviceTransport

@Suite("A library call that cannot be cancelled is abandoned") struct LibraryCallTests {
    @Test("Calls that hang are bounded for a device, and another one is used meanwhile")
    func manyHangingCalls() throws {
        let (hanging, other) = (
            DeviceLifetime(udid: "hanging", handle: 1), DeviceLifetime(udid: "other", handle: 2)
        )
        let held = DispatchSemaphore(value: 0)
        let answers = (0..<40).map { _ in
            code {
                try LibraryCall.run(OperationContext(limit: .milliseconds(1)), life: hanging) {
                    held.wait()
                    return .success(())
                }
            }
        }
        #expect(answers.first == .timedOut)
        #expect(answers.last == .busy)
        #expect(try LibraryCall.run(OperationContext(), life: other) { .success(7) } == 7)
        for _ in answers { held.signal() }
    }
}
