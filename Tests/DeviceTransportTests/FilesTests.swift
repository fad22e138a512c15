import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceTransport

@Suite("Files of a root are listed, read and written") struct FilesTests {
    static let devices: [SimulatedDeviceSettings] = [.reader, .encryptedReader]

    @Test("A file that was written is there with its size, and reads back the same", arguments: devices)
    func writeAndRead(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let bytes = pattern(1_300_001)
            let status = try files.write(.bytes(bytes), to: "/Documents/new/deep/a.bin")
            #expect(status.size == UInt64(bytes.count) && status.kind == .file)
            #expect(try files.readWhole("Documents/new/deep/a.bin") == bytes)
            #expect(try files.list("/Documents/new/deep") == ["a.bin"])
            #expect(
                try Data(contentsOf: device.documents.appendingPathComponent("new/deep/a.bin")) == Data(bytes)
            )
        }
    }

    @Test("A part of a file is read, and less where the file ends", arguments: devices)
    func ranges(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let bytes = pattern(700_000)
            try Data(bytes).write(to: device.documents.appendingPathComponent("a"))
            #expect(try files.read("/Documents/a", range: 10..<20) == Array(bytes[10..<20]))
            #expect(try files.read("/Documents/a", range: 1000..<690_000) == Array(bytes[1000..<690_000]))
            #expect(try files.read("/Documents/a", range: 699_990..<800_000) == Array(bytes[699_990...]))
            #expect(try files.read("/Documents/a", range: 900_000..<900_010).isEmpty)
            #expect(try files.read("/Documents/a", range: 5..<5).isEmpty)
        }
    }

    @Test("An empty file is written and read")
    func empty() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try files.write(.bytes([]), to: "/Documents/empty")
            #expect(try files.readWhole("/Documents/empty").isEmpty)
            #expect(
                try files.readMany([FileReadRequest("/Documents/empty", expectedSize: 0)])[0].get().isEmpty)
        }
    }

    @Test("The status, existence and entries of files are reported, and missing files are not")
    func status() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try files.write(
                .bytes([1, 2, 3]), to: "/Documents/a",
                options: WriteOptions(modified: 1_000_000_000_000_000_000))
            try files.makeFolder("/Documents/f/g")
            try FileManager.default.createSymbolicLink(
                atPath: device.documents.appendingPathComponent("link").path, withDestinationPath: "a")
            let status = try files.stat("/Documents/a")
            #expect(status.kind == .file && status.size == 3 && status.modified == 1_000_000_000_000_000_000)
            #expect(try files.stat("/Documents/f").kind == .folder)
            let link = try files.stat("/Documents/link")
            #expect(link.kind == .link && link.linkTarget == "a")
            #expect(try files.exists("/Documents/a"))
            #expect(try !files.exists("/Documents/b"))
            let entries = try files.entries("/Documents")
            #expect(Set(entries.map(\.name)) == ["a", "f", "link"])
            #expect(entries.first { $0.name == "a" }?.status.size == 3)
            #expect(code { try files.stat("/Documents/b") } == .notFound)
        }
    }

    @Test("A link is read to the end of the file it leads to")
    func links() throws {
        try withSimulatedDevice(.reader) { device in
            let bytes = pattern(600_000)
            try Data(bytes).write(to: device.documents.appendingPathComponent("a"))
            try FileManager.default.createSymbolicLink(
                atPath: device.documents.appendingPathComponent("link").path, withDestinationPath: "a")
            #expect(try openFiles(device).readWhole("/Documents/link", limit: 1_000_000) == bytes)
        }
    }

    @Test("Pieces of a file come in order and add up to it", arguments: devices)
    func chunks(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device, DeviceSessionOptions(chunkSize: 64 << 10))
            let bytes = pattern(1_000_003)
            try Data(bytes).write(to: device.documents.appendingPathComponent("a"))
            var read: [UInt8] = []
            let count = try files.readChunks("/Documents/a") { piece throws(TransportError) in read += piece }
            #expect(read == bytes && count == UInt64(bytes.count))
            #expect(
                code {
                    try files.readChunks("/Documents/a") { _ throws(TransportError) in
                        throw TransportError(.noSpace, "The sink is full.")
                    }
                } == .noSpace)
        }
    }

    /// Weakness 27 in docs/weaknesses.md.
    @Test("A large file is sent and read in packets of half a megabyte")
    func packets() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            let bytes = pattern(5_000_000)
            try files.write(.bytes(bytes), to: "/Documents/a")
            #expect(try files.readWhole("/Documents/a") == bytes)
            // Ten packets in each direction, and one or two reads that find the end. Pieces of 64 KiB took 77.
            for operation in ["FILE_WRITE", "FILE_READ"] {
                let count = try #require(device.counters.requests["afc." + operation])
                #expect((10...12).contains(count), "\(operation) \(count)")
            }
        }
    }

    @Test("A device that answers reads in small pieces is read completely")
    func shortReads() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([Fault(.shortRead(1000), operation: "FILE_READ")])
        try withSimulatedDevice(settings) { device in
            let bytes = pattern(30_000)
            try Data(bytes).write(to: device.documents.appendingPathComponent("a"))
            let files = try openFiles(device)
            #expect(try files.readWhole("/Documents/a") == bytes)
            #expect(try files.read("/Documents/a", range: 100..<20_000) == Array(bytes[100..<20_000]))
            #expect(
                try files.readMany([FileReadRequest("/Documents/a", expectedSize: 30_000)])[0].get() == bytes)
            let once = try files.readMany([FileReadRequest("/Documents/a", range: 10..<5000, once: true)])[0]
                .get()
            #expect(once == Array(bytes[10..<1010]))
        }
    }

    @Test("A file that is larger than allowed is refused before it is read")
    func limits() throws {
        try withSimulatedDevice(.reader) { device in
            try Data(pattern(5000)).write(to: device.documents.appendingPathComponent("a"))
            let files = try openFiles(device)
            #expect(code { try files.readWhole("/Documents/a", limit: 4999) } == .tooLarge)
            #expect(try files.readWhole("/Documents/a", limit: 5000).count == 5000)
            #expect(
                code {
                    try files.readMany([FileReadRequest("/Documents/a", expectedSize: 10, limit: 4999)])[0]
                        .get()
                }
                    == .tooLarge)
            #expect(device.counters.requests["afc.FILE_WRITE"] == nil)
        }
    }

    @Test("An expected size that is wrong does no harm")
    func expectedSizes() throws {
        try withSimulatedDevice(.reader) { device in
            let bytes = pattern(5000)
            try Data(bytes).write(to: device.documents.appendingPathComponent("a"))
            let files = try openFiles(device)
            for size: UInt64 in [0, 1, 4999, 5000, 5001, 900_000] {
                let result = files.readMany([FileReadRequest("/Documents/a", expectedSize: size)])[0]
                #expect(try result.get() == bytes)
            }
        }
    }

    /// Lets a file grow on the device. Called within a request of the device, so an error is recorded as an issue.
    private static func append(_ count: Int, to file: URL) {
        do {
            let handle = try FileHandle(forWritingTo: file)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(pattern(count)))
            try handle.close()
        } catch {
            Issue.record(error)
        }
    }

    @Test("A file that grows with every read is read to the size that it had when this was noticed")
    func growing() throws {
        try withSimulatedDevice(.reader) { device in
            let folder = try TemporaryFolder()
            let place = device.documents.appendingPathComponent("a")
            try Data(pattern(100_000)).write(to: place)
            let files = try openFiles(device, DeviceSessionOptions(chunkSize: 64 << 10))
            device.onFileRequest { request in
                guard request.operation == "FILE_READ", request.number < 200 else { return }
                Self.append(1000, to: place)
            }
            let pull = PullRequest("/Documents/a", to: folder.path("b"), expectedSize: 100_000)
            let status = try files.pullMany([pull])[0].get()
            #expect(status.size > 100_000 && status.size < 110_000)
            let copy = try Data(contentsOf: folder.url.appendingPathComponent("b"))
            #expect(copy.count == Int(status.size))
            #expect((device.counters.requests["afc.FILE_READ"] ?? 0) < 5)
        }
    }

    @Test("A file that has grown and grows on is an error that says so, and leaves nothing")
    func growingOn() throws {
        try withSimulatedDevice(.reader) { device in
            let folder = try TemporaryFolder()
            let place = device.documents.appendingPathComponent("a")
            try Data(pattern(101_000)).write(to: place)
            let files = try openFiles(device)
            device.onFileRequest { request in
                guard request.operation == "GET_FILE_INFO", request.path == "/Documents/a",
                    request.number < 200
                else { return }
                Self.append(1000, to: place)
            }
            let pull = PullRequest("/Documents/a", to: folder.path("b"), expectedSize: 100_000)
            let error = failure { try files.pullMany([pull])[0].get() }
            #expect(error?.code == .verificationFailed)
            #expect(error?.message.contains("grew on the device while it was being read") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test("Renaming replaces only when asked to")
    func renaming() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try files.write(.bytes([1]), to: "/Documents/a")
            try files.write(.bytes([2]), to: "/Documents/b")
            #expect(code { try files.rename("/Documents/a", to: "/Documents/b") } == .exists)
            #expect(try files.readWhole("/Documents/b") == [2])
            try files.rename("/Documents/a", to: "/Documents/b", replaces: true)
            #expect(try files.readWhole("/Documents/b") == [1])
            #expect(code { try files.rename("/Documents/none", to: "/Documents/c") } == .notFound)
        }
    }

    @Test("A folder with entries is removed only with its contents")
    func removing() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try files.write(.bytes([1]), to: "/Documents/f/g/a")
            #expect(code { try files.remove("/Documents/f") } == .folderNotEmpty)
            try files.remove("/Documents/f", recursive: true)
            #expect(try !files.exists("/Documents/f"))
            #expect(code { try files.remove("/Documents/f") } == .notFound)
            #expect(code { try files.remove("/") } == .invalidArgument)
        }
    }

    @Test("A tree is removed piece by piece where the device cannot remove it in one request")
    func removingByHand() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([Fault(.status(15), operation: "REMOVE_PATH_AND_CONTENTS")])
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            for name in ["a", "g/b", "g/h/c", "g/h/d"] {
                try files.write(.bytes([1]), to: "/Documents/f/" + name)
            }
            try files.remove("/Documents/f", recursive: true)
            #expect(try !files.exists("/Documents/f"))
        }
    }

    @Test("Making an existing folder succeeds, and making one over a file fails")
    func folders() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try files.makeFolder("/Documents/x/y/z")
            try files.makeFolder("/Documents/x/y/z")
            #expect(try files.stat("/Documents/x/y/z").kind == .folder)
            try files.write(.bytes([1]), to: "/Documents/file")
            #expect(code { try files.makeFolder("/Documents/file") } == .notFolder)
            #expect(try files.readWhole("/Documents/file") == [1])
        }
    }

    @Test("The free space and the media folder can be read")
    func space() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openSession(device).open(.media)
            let space = try files.space()
            #expect(space.total == device.settings.totalBytes && space.free <= space.total)
            try files.write(.bytes([1]), to: "/Books/a")
            #expect(
                FileManager.default.fileExists(
                    atPath: device.mediaFolder.appendingPathComponent("Books/a").path))
        }
    }

    @Test(
        "A device that does not report its space with its files is asked for it by lockdownd",
        arguments: [Fault.Effect.status(15), .status(0), .garbageReply(pattern(200)), .disconnect, .stall])
    func otherSpace(_ effect: Fault.Effect) throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try device.update { $0.faults = FaultPlan([Fault(effect, operation: "GET_DEVINFO")]) }
            let context = OperationContext(silenceLimit: .seconds(effect == .stall ? 1 : 30))
            for _ in 0..<2 {
                let space = try files.space(context)
                #expect(space.total == device.settings.totalBytes)
                #expect(space.free == device.settings.freeBytes)
            }
            // A device that was silent once is not waited for again.
            if effect == .stall { #expect(device.counters.requests["afc.GET_DEVINFO"] == 1) }
            let cancellation = Cancellation()
            cancellation.cancel()
            #expect(
                code { try files.space(OperationContext(cancellation: cancellation)) } == .cancelled)
        }
    }

    @Test("If lockdownd does not report the space either, the error is that of the files")
    func noSpace() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try device.update { $0.faults = FaultPlan([Fault(.status(15), operation: "GET_DEVINFO")]) }
            device.onLockdownRequest { _, stream in
                stream.close()
                return true
            }
            #expect(failure { try files.space() }?.native?.domain == .afc)
        }
    }

    @Test("Of the free space that lockdownd reports, the smaller number counts")
    func diskUsage() {
        func space(_ values: [String: UInt64]) -> StorageSpace? {
            StorageSpace(diskUsage: values.mapValues { .integer($0) })
        }
        let all = space(["AmountDataAvailable": 5, "TotalDataAvailable": 7, "TotalDataCapacity": 90])
        #expect(all == StorageSpace(total: 90, free: 5, blockSize: nil))
        #expect(space(["TotalDataAvailable": 7, "TotalDiskCapacity": 6])?.free == 6)
        #expect(space(["AmountDataAvailable": 5]) == nil && space(["TotalDataCapacity": 90]) == nil)
    }

    @Test("Listing a file, reading a folder and missing names fail with different codes")
    func mistakes() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try files.write(.bytes([1]), to: "/Documents/a")
            #expect(code { try files.list("/Documents/a") } == .notFolder)
            #expect(code { try files.readWhole("/Documents") } == .isFolder)
            #expect(code { try files.list("/Documents/none") } == .notFound)
            #expect(code { try files.readWhole("/Documents/none") } == .notFound)
            #expect(code { try files.readWhole("/Documents/../../etc/passwd") } == .invalidArgument)
            #expect(subject { try files.readWhole("/Documents/none") } == "/Documents/none")
        }
    }
}
