import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import DeviceTransport

@Suite("Progress on a slow cable moves within a request")
struct ProgressWithinRequestTests {
    private static let size = 1 << 20

    /// A device whose cable takes two seconds for a file that needs two requests.
    private static var slow: SimulatedDeviceSettings {
        var settings = SimulatedDeviceSettings.reader
        settings.bandwidth = size / 2
        return settings
    }

    /// The reported bytes, in order.
    private func reports(_ run: (SimulatedDevice, OperationContext) throws -> Void) throws -> [UInt64] {
        let bytes = Mutex<[UInt64]>([])
        try withSimulatedDevice(Self.slow) { device in
            try run(device, OperationContext { progress in bytes.withLock { $0.append(progress.bytes) } })
        }
        return bytes.withLock { $0 }
    }

    private func check(_ bytes: [UInt64]) {
        #expect(bytes.last == UInt64(Self.size))
        #expect(bytes == bytes.sorted())
        #expect(bytes.allSatisfy { $0 <= UInt64(Self.size) })
        #expect(bytes.contains { $0 % (512 << 10) != 0 }, "\(bytes)")
    }

    @Test("A write reports the bytes that were sent before it is acknowledged")
    func writing() throws {
        check(
            try reports { device, context in
                let files = try openFiles(device)
                let result = files.pushMany(
                    [PushRequest(.bytes(pattern(Self.size)), to: "/Documents/one")], context)
                #expect(result.count == 1)
            })
    }

    @Test("A read reports the bytes that have arrived before it is complete")
    func reading() throws {
        check(
            try reports { device, context in
                let files = try openFiles(device)
                try files.write(.bytes(pattern(Self.size)), to: "/Documents/one")
                _ = try files.readWhole("/Documents/one", context)
            })
    }
}
