import DeviceTransport
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("An upload that was cut off goes on where it stopped, if it has the same content")
struct ContinuedWriteTests {
    private static let size = 2_000_000
    private static let chunk = 64 << 10
    private let folder: TemporaryFolder
    private let content = pattern(size)

    init() throws {
        folder = try TemporaryFolder()
        try Data(content).write(to: folder.url.appendingPathComponent("paper"))
    }

    /// The time of the local file, in nanoseconds.
    private func modified() throws -> Int64 {
        var status = stat()
        try #require(stat(folder.path("paper"), &status) == 0)
        return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    private func request(_ name: String = "a", digest: String = "d1") throws -> PushRequest {
        PushRequest(
            .file(folder.path("paper")), to: "/Documents/\(name)",
            options: WriteOptions(modified: try modified(), contentDigest: digest))
    }

    private func open(_ device: SimulatedDevice) throws -> DeviceFiles {
        try openFiles(
            device, DeviceSessionOptions(maximumConnections: 1, requestsOnEach: 4, chunkSize: Self.chunk))
    }

    /// Sends the file until the device has some pieces, and cancels.
    private func cutOff(_ device: SimulatedDevice, _ files: DeviceFiles, _ request: PushRequest? = nil) throws
    {
        let cancellation = Cancellation()
        let context = OperationContext(cancellation: cancellation) { progress in
            if progress.bytes >= 5 * Self.chunk { cancellation.cancel() }
        }
        let result = files.pushMany([try request ?? self.request()], context)[0]
        #expect(failure { try result.get() }?.code == .cancelled)
    }

    /// Sends the file, and returns the number of pieces that were written and read.
    private func send(_ device: SimulatedDevice, _ files: DeviceFiles) throws -> (writes: Int, reads: Int) {
        let before = device.counters.requests
        let status = try files.pushMany([try request()])[0].get()
        let after = device.counters.requests
        #expect(status.size == UInt64(Self.size))
        #expect(status.modified == (try modified()))
        #expect([UInt8](try Data(contentsOf: device.documents.appendingPathComponent("a"))) == content)
        #expect(try device.documentNames() == ["a"])
        func count(_ name: String) -> Int { (after[name] ?? 0) - (before[name] ?? 0) }
        return (count("afc.FILE_WRITE"), count("afc.FILE_READ"))
    }

    /// The only file that is left unfinished.
    private func begun(_ device: SimulatedDevice) throws -> URL {
        let names = try device.documentNames()
        #expect(names.count == 1 && names[0].hasSuffix(".begun"), "\(names)")
        return device.documents.appendingPathComponent(try #require(names.first))
    }

    private static var pieces: Int { (size + chunk - 1) / chunk }

    @Test("After a cancel only the rest is sent, and nothing is read back", arguments: FilesTests.devices)
    func cancelled(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let files = try open(device)
            try cutOff(device, files)
            let left = try Data(contentsOf: begun(device))
            #expect(left.count >= 5 * Self.chunk && left.count < Self.size)
            #expect([UInt8](left) == Array(content.prefix(left.count)))
            let (writes, reads) = try send(device, files)
            #expect(writes == Self.pieces - left.count / Self.chunk && reads == 0)
        }
    }

    @Test("Changes of another program in the unfinished file are found and overwritten")
    func changed() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try open(device)
            try cutOff(device, files)
            let file = try begun(device)
            let handle = try FileHandle(forWritingTo: file)
            try handle.seek(toOffset: UInt64(2 * Self.chunk + 7))
            try handle.write(contentsOf: Data([1, 2, 3, 4, 5]))
            try handle.close()
            let (writes, reads) = try send(device, files)
            #expect(writes == Self.pieces - 2 && reads == 3)
        }
    }

    @Test("A cancel seals nothing that was not compared", arguments: [0, 6])
    func cancelledReview(piece: Int) throws {
        try withSimulatedDevice(.reader) { device in
            let files = try open(device)
            try cutOff(device, files)
            // Other bytes at the end, as a device that lost power may leave them.
            let file = try begun(device)
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(content.prefix(piece * Self.chunk)))
            try handle.truncate(atOffset: UInt64(20 * Self.chunk))
            try handle.close()
            let cancellation = Cancellation()
            let looked = Atomic(0)
            device.onFileRequest { request in
                // While pieces are compared, or as soon as some were written again.
                guard request.operation == (piece == 0 ? "FILE_WRITE" : "FILE_READ") else { return }
                if looked.add(1, ordering: .relaxed).newValue == 3 { cancellation.cancel() }
            }
            let cut = files.pushMany(
                [try request()], OperationContext(cancellation: cancellation) { _ in })[0]
            device.onFileRequest(nil)
            #expect(failure { try cut.get() }?.code == .cancelled)
            _ = try send(device, files)
        }
    }

    @Test("The unfinished file of an unplugged device is compared, and then only the rest is sent")
    func pulledCable() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try open(device)
            try cutOff(device, files)
            // Without its seal the file is in the state that a lost device leaves.
            let file = try begun(device)
            try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
            let left = try Data(contentsOf: file).count / Self.chunk
            let (writes, reads) = try send(device, files)
            #expect(writes == Self.pieces - left && reads >= left)
        }
    }

    @Test("Data of other content are not used, and a file that is too long starts again")
    func other() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try open(device)
            try cutOff(device, files, request(digest: "d2"))
            try FileManager.default.removeItem(at: begun(device))
            try cutOff(device, files)
            let handle = try FileHandle(forWritingTo: begun(device))
            try handle.truncate(atOffset: UInt64(Self.size + 1))
            try handle.close()
            let (writes, reads) = try send(device, files)
            #expect(writes == Self.pieces && reads == 0)
        }
    }

    @Test("Two files with the same content are both sent completely")
    func twice() throws {
        try withSimulatedDevice(.reader) { device in
            let results = try open(device).pushMany([try request("a"), try request("b")])
            for result in results { _ = try result.get() }
            for name in ["a", "b"] {
                let stored = try Data(contentsOf: device.documents.appendingPathComponent(name))
                #expect([UInt8](stored) == content)
            }
            #expect(try device.documentNames().sorted() == ["a", "b"])
        }
    }

    @Test("A file that changes while it is sent is not sealed, so that it is compared later")
    func changing() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try open(device)
            let stale = PushRequest(
                .file(folder.path("paper")), to: "/Documents/a",
                options: WriteOptions(modified: try modified() - 1_000_000_000, contentDigest: "d1"))
            try cutOff(device, files, stale)
            let left = try Data(contentsOf: begun(device)).count / Self.chunk
            #expect(try send(device, files).reads >= left)
        }
    }

    @Test("A full disk leaves nothing unfinished")
    func fullDisk() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try open(device)
            try device.update {
                $0.faults = FaultPlan([Fault(.diskFull(keeping: 10), operation: "FILE_WRITE", skipping: 3)])
            }
            let result = try files.pushMany([request()])[0]
            #expect(failure { try result.get() }?.code == .noSpace)
            #expect(try device.documentNames().isEmpty)
        }
    }

    @Test("A lost connection does not restart the upload")
    func lostConnection() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try open(device)
            try device.update {
                $0.faults = FaultPlan([Fault(.disconnect, operation: "FILE_WRITE", skipping: 10, times: 1)])
            }
            let (writes, reads) = try send(device, files)
            // Pending requests are counted twice.
            #expect(reads >= 9 && writes <= Self.pieces + 5)
        }
    }
}
