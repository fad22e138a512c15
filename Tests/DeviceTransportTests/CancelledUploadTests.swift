import DeviceTransport
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("A cancelled upload leaves nothing on the device") struct CancelledUploadTests {
    /// Uploads `count` files until the first piece has arrived, cancels, and returns the result of each.
    private func cancelled(_ device: SimulatedDevice, files count: Int, of size: Int) throws
        -> [TransportError?]
    {
        let files = try openFiles(device, DeviceSessionOptions(chunkSize: 16 << 10))
        let cancellation = Cancellation()
        let context = OperationContext(cancellation: cancellation) { progress in
            if progress.bytes > 0 { cancellation.cancel() }
        }
        let requests = (0..<count).map { PushRequest(.bytes(pattern(size)), to: "/Documents/\($0)") }
        return files.pushMany(requests, context).map { result in failure { try result.get() } }
    }

    @Test(
        "A cancelled upload leaves nothing over a slow cable with full sockets",
        arguments: FilesTests.devices, [1, 12])
    func slowCable(_ settings: SimulatedDeviceSettings, _ count: Int) throws {
        var settings = settings
        settings.bandwidth = 100_000
        try withSimulatedDevice(settings) { device in
            let errors = try cancelled(device, files: count, of: 2_000_000)
            #expect(errors.allSatisfy { $0?.code == .cancelled && $0?.hint == nil })
            #expect(try device.documentNames().isEmpty)
            SharedUsbmuxd.daemon.detach(device)
            #expect(try device.documentNames().isEmpty)
        }
    }

    @Test(
        "A cancelled upload leaves nothing of a complete file that waits for its name behind others",
        arguments: FilesTests.devices
    )
    func queuedRenames(_ settings: SimulatedDeviceSettings) throws {
        var settings = settings
        settings.bandwidth = 400_000
        settings.connectionLimit = 2
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(
                device, DeviceSessionOptions(maximumConnections: 1, requestsOnEach: 1024, chunkSize: 16 << 10)
            )
            let cancellation = Cancellation()
            // When the device gets a question about a file, its answer about the previous one was received long ago.
            let asked = Mutex(0)
            device.onFileRequest { request in
                guard request.operation == "GET_FILE_INFO" else { return }
                let count = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                if count == 3 { cancellation.cancel() }
            }
            let size = 100_000
            let results = files.pushMany(
                (0..<16).map { PushRequest(.bytes(pattern(size)), to: "/Documents/\($0)") },
                OperationContext(cancellation: cancellation))
            let errors = results.map { result in failure { try result.get() } }
            #expect(errors.contains { $0?.code == .cancelled })
            #expect(errors.allSatisfy { $0 == nil || ($0?.code == .cancelled && $0?.hint == nil) })
            for name in try device.documentNames() {
                #expect(!name.hasSuffix(".part"))
                let stored = try Data(contentsOf: device.documents.appendingPathComponent(name))
                #expect([UInt8](stored) == pattern(size))
            }
        }
    }

    @Test("A cancelled upload leaves nothing while it waits for another connection")
    func waitingForConnection() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([Fault(.disconnect, operation: "FILE_WRITE", skipping: 1, times: 1)])
        try withSimulatedDevice(settings) { device in
            let cancellation = Cancellation()
            let isOpen = Mutex(false)
            let trace = DeviceTrace { _ in if isOpen.withLock({ $0 }) { cancellation.cancel() } }
            let files = try openFiles(device, DeviceSessionOptions(trace: trace))
            isOpen.withLock { $0 = true }
            let error = failure {
                try files.write(
                    .bytes(pattern(2_000_000)), to: "/Documents/a",
                    OperationContext(cancellation: cancellation)
                )
            }
            #expect(error?.code == .cancelled && error?.hint == nil)
            #expect(files.counters.connectionsLost == 1)
            #expect(try device.documentNames().isEmpty)
        }
    }

    @Test(
        "A cancelled upload leaves nothing when its connection is silent and another is not",
        arguments: FilesTests.devices)
    func silentConnection(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            try device.update {
                $0.faults = FaultPlan([Fault(.stall, operation: "FILE_WRITE", skipping: 1, times: 1)])
            }
            let errors = try cancelled(device, files: 1, of: 2_000_000)
            #expect(errors.map { $0?.code } == [.cancelled])
            #expect(try device.documentNames().isEmpty)
        }
    }

    @Test("If the device does not answer at all, the error names what may be left")
    func silentDevice() throws {
        try withSimulatedDevice(.reader) { device in
            try device.update {
                $0.faults = FaultPlan([
                    Fault(.stall, operation: "FILE_WRITE", skipping: 1),
                    Fault(.stopReading, operation: "REMOVE_PATH"),
                ])
            }
            let error = try #require(try cancelled(device, files: 1, of: 2_000_000).first ?? nil)
            #expect(error.code == .cancelled)
            let left = try #require(device.documentNames().first)
            #expect(error.hint?.contains(left) == true)
        }
    }
}
