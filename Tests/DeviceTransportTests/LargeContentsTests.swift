import DeviceTransport
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("Large contents travel over several connections") struct LargeContentsTests {
    @Test(
        "Large contents arrive whole in both directions, from memory and from files",
        arguments: FilesTests.devices)
    func contents(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let folder = try TemporaryFolder()
            let files = try openFiles(device)
            let sizes = (0..<24).map { 700_000 + $0 * 33_331 }
            var requests: [PushRequest] = []
            for (index, size) in sizes.enumerated() {
                var source = UploadSource.bytes(pattern(size))
                if index % 2 == 1 {
                    try Data(pattern(size)).write(to: URL(fileURLWithPath: folder.path("\(index)")))
                    source = .file(folder.path("\(index)"))
                }
                let options = WriteOptions(verification: index % 3 == 0 ? .contents : .size)
                requests.append(PushRequest(source, to: "/Documents/\(index)", options: options))
            }
            for (index, result) in files.pushMany(requests).enumerated() {
                #expect(try result.get().size == UInt64(sizes[index]))
                let stored = try Data(contentsOf: device.documents.appendingPathComponent("\(index)"))
                #expect([UInt8](stored) == pattern(sizes[index]))
            }
            let reads = sizes.indices.map { FileReadRequest("/Documents/\($0)") }
            for (index, result) in files.readMany(reads).enumerated() {
                #expect(try result.get() == pattern(sizes[index]))
            }
        }
    }

    @Test(
        "A local file that becomes shorter on the way fails alone and leaves nothing",
        arguments: FilesTests.devices)
    func shrinking(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let folder = try TemporaryFolder()
            let files = try openFiles(device)
            let path = folder.path("shrinking")
            try Data(pattern(6_000_000)).write(to: URL(fileURLWithPath: path))
            // The file is cut as soon as the device has received its beginning.
            let isCut = Mutex(false)
            device.onFileRequest { request in
                guard request.operation == "FILE_WRITE", !isCut.withLock({ $0 }) else { return }
                isCut.withLock { $0 = true }
                truncate(path, 100_000)
            }
            var requests = (0..<6).map {
                PushRequest(.bytes(pattern(300_000 + $0)), to: "/Documents/\($0)")
            }
            requests.insert(PushRequest(.file(path), to: "/Documents/shrinking"), at: 0)
            let codes = files.pushMany(requests).map { result in code { try result.get() } }
            #expect(codes[0] == .verificationFailed)
            #expect(codes.dropFirst().allSatisfy { $0 == nil })
            #expect(try device.documentNames() == ["0", "1", "2", "3", "4", "5"])
        }
    }

    @Test("After a cancel in the middle the connections work again, or others do")
    func cancelled() throws {
        var settings = SimulatedDeviceSettings.encryptedReader
        settings.bandwidth = 20_000_000
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let cancellation = Cancellation()
            let results = files.pushMany(
                (0..<40).map { PushRequest(.bytes(pattern(900_000)), to: "/Documents/\($0)") },
                OperationContext(cancellation: cancellation) { progress in
                    if progress.items >= 3 { cancellation.cancel() }
                })
            let codes = results.map { result in code { try result.get() } }
            #expect(codes.filter { $0 == nil }.count >= 3)
            #expect(codes.allSatisfy { $0 == nil || $0 == .cancelled })
            #expect(try files.list("/Documents").allSatisfy { !$0.hasSuffix(".part") })
        }
    }
}
