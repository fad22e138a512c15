import DeviceTransport
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("A fetch that was cut off goes on where it stopped, if the device has the same file")
struct ContinuedReadTests {
    private static let size = 2_000_000
    private static let chunk = 64 << 10
    private static let moment = Date(timeIntervalSince1970: 1_700_000_000)
    private static var pieces: Int { (size + chunk - 1) / chunk }
    private let folder: TemporaryFolder
    private let content = pattern(size)

    init() throws { folder = try TemporaryFolder() }

    private func request(_ key: String = "k") -> PullRequest {
        PullRequest(
            "/Documents/a", to: folder.path("a"), replacesExisting: true,
            partialFiles: PartialFilePlace(folder: folder.path, prefix: ".begun-", key: key))
    }

    private func put(_ device: SimulatedDevice, _ bytes: [UInt8], at moment: Date = moment) throws {
        let file = device.documents.appendingPathComponent("a")
        try Data(bytes).write(to: file)
        try FileManager.default.setAttributes([.modificationDate: moment], ofItemAtPath: file.path)
    }

    private func open(_ device: SimulatedDevice) throws -> DeviceFiles {
        try openFiles(
            device, DeviceSessionOptions(maximumConnections: 1, requestsOnEach: 4, chunkSize: Self.chunk))
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// Fetches the file until some pieces have arrived, and cancels. Returns the remaining number of bytes.
    private func cutOff(_ files: DeviceFiles, _ request: PullRequest? = nil) throws -> [UInt8] {
        let cancellation = Cancellation()
        let context = OperationContext(cancellation: cancellation) { progress in
            if progress.bytes >= 5 * Self.chunk { cancellation.cancel() }
        }
        let result = files.pullMany([request ?? self.request()], context)[0]
        #expect(failure { try result.get() }?.code == .cancelled)
        let names = try names()
        #expect(names.count == 1 && names[0].hasPrefix(".begun-") && names[0].hasSuffix(".begun"), "\(names)")
        let left = [UInt8](try Data(contentsOf: begun()))
        #expect(left.count >= 5 * Self.chunk && left.count < Self.size)
        return left
    }

    private func begun() throws -> URL { folder.url.appendingPathComponent(try #require(names().first)) }

    /// Fetches the file, and returns the number of pieces that were read.
    private func fetch(
        _ device: SimulatedDevice, _ files: DeviceFiles, _ wanted: [UInt8]? = nil
    ) throws -> Int {
        let wanted = wanted ?? content
        let before = device.counters.requests["afc.FILE_READ"] ?? 0
        let status = try files.pullMany([request()])[0].get()
        #expect(status.size == UInt64(wanted.count))
        #expect([UInt8](try Data(contentsOf: folder.url.appendingPathComponent("a"))) == wanted)
        #expect(try names().filter { $0 != "a" && !$0.hasPrefix("kept") }.isEmpty)
        return (device.counters.requests["afc.FILE_READ"] ?? 0) - before
    }

    @Test("After a cancel only the rest is read", arguments: FilesTests.devices)
    func cancelled(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            try put(device, content)
            let files = try open(device)
            let left = try cutOff(files)
            #expect(left == Array(content.prefix(left.count)))
            #expect(try fetch(device, files) == Self.pieces - left.count / Self.chunk)
        }
    }

    @Test(
        "A file that was changed meanwhile is read again from the beginning",
        arguments: ["time", "size", "longer part"])
    func changed(_ what: String) throws {
        try withSimulatedDevice(.reader) { device in
            try put(device, content)
            let files = try open(device)
            _ = try cutOff(files)
            var other = content.map { $0 ^ 0xFF }
            switch what {
            case "time": try put(device, other, at: Self.moment + 1)
            case "size":
                other.removeLast()
                try put(device, other)
            default:
                other = content
                let handle = try FileHandle(forWritingTo: begun())
                try handle.truncate(atOffset: UInt64(Self.size + 1))
                try handle.close()
            }
            let before = device.counters.requests["afc.FILE_READ"] ?? 0
            _ = try files.pullMany([request()])[0].get()
            #expect([UInt8](try Data(contentsOf: folder.url.appendingPathComponent("a"))) == other)
            #expect((device.counters.requests["afc.FILE_READ"] ?? 0) - before >= Self.pieces)
        }
    }

    @Test("Data of another device or folder are not used")
    func otherKey() throws {
        try withSimulatedDevice(.reader) { device in
            try put(device, content)
            let files = try open(device)
            _ = try cutOff(files, request("other"))
            try FileManager.default.moveItem(at: begun(), to: folder.url.appendingPathComponent("kept"))
            #expect(try fetch(device, files) >= Self.pieces)
        }
    }

    @Test("A part that has another name as well, or is a link, is left alone", arguments: [true, false])
    func shared(isLink: Bool) throws {
        try withSimulatedDevice(.reader) { device in
            try put(device, content)
            let files = try open(device)
            let left = try cutOff(files)
            let (begun, kept) = (try begun(), folder.url.appendingPathComponent("kept"))
            if isLink {
                try FileManager.default.moveItem(at: begun, to: kept)
                try FileManager.default.createSymbolicLink(at: begun, withDestinationURL: kept)
            } else {
                try FileManager.default.linkItem(at: begun, to: kept)
            }
            let before = device.counters.requests["afc.FILE_READ"] ?? 0
            _ = try files.pullMany([request()])[0].get()
            #expect((device.counters.requests["afc.FILE_READ"] ?? 0) - before >= Self.pieces)
            #expect([UInt8](try Data(contentsOf: kept)) == left)
            #expect([UInt8](try Data(contentsOf: folder.url.appendingPathComponent("a"))) == content)
        }
    }

    @Test("A lost connection does not restart the fetch")
    func lostConnection() throws {
        try withSimulatedDevice(.reader) { device in
            try put(device, content)
            let files = try open(device)
            try device.update {
                $0.faults = FaultPlan([Fault(.disconnect, operation: "FILE_READ", skipping: 20, times: 1)])
            }
            // Pending requests are counted twice.
            #expect(try fetch(device, files) <= Self.pieces + 6)
        }
    }

    @Test("A fetch that fails for another reason, or that has no place for its part, leaves nothing")
    func leavesNothing() throws {
        try withSimulatedDevice(.reader) { device in
            try put(device, content)
            let files = try open(device)
            let cancellation = Cancellation()
            let context = OperationContext(cancellation: cancellation) { progress in
                if progress.bytes >= 5 * Self.chunk { cancellation.cancel() }
            }
            let plain = PullRequest("/Documents/a", to: folder.path("a"))
            #expect(failure { try files.pullMany([plain], context)[0].get() }?.code == .cancelled)
            #expect(try names().isEmpty)
            try device.update {
                $0.faults = FaultPlan([Fault(.status(1), operation: "FILE_READ", skipping: 8)])
            }
            #expect(failure { try files.pullMany([request()])[0].get() } != nil)
            #expect(try names().isEmpty)
        }
    }
}
