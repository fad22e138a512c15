import DeviceTransport
import Testing

@testable import OverlayHost
@testable import OverlayServices

@Suite("Progress of a transfer moves only forward")
struct ProgressMergerTests {
    @Test("A file that is sent again from its beginning does not take bytes back")
    func restartedFile() throws {
        let shown = CollectedProgress()
        let merger = ProgressMerger { shown.add($0) }
        merger.begin("Copying", items: 2, bytes: 200, counting: .push)
        let handlers = [
            try #require(merger.transfer(.push)),
            try #require(merger.transfer(.push, of: ["a.pdf", "b.pdf"])),
        ]
        for handler in handlers {
            for bytes: UInt64 in [60, 20, 60, 100] {
                handler(TransferProgress(bytes: bytes, totalBytes: 100, items: 0, totalItems: 2, item: 0))
            }
            merger.settle()
        }
        let bytes = shown.updates.map(\.bytesDone)
        #expect(bytes == bytes.sorted())
        #expect(bytes.contains(60) && bytes.last == 200)
    }
}
