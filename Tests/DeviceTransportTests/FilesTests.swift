import DeviceTransport
import SimulatedDevice
import TestSupport
import Testing

@Suite("Files of a root") struct FilesTests {
    @Test("a file that was written is there with its size, and reads back the same")
    func writeAndRead() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            let bytes = (0..<1_300_001).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let status = try files.write(.bytes(bytes), to: "/Documents/new/deep/a.bin")
            #expect(status.size == UInt64(bytes.count))
            #expect(try files.readWhole("Documents/new/deep/a.bin") == bytes)
            #expect(try files.list("/Documents/new/deep") == ["a.bin"])
        }
    }
}
