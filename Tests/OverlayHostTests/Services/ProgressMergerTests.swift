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
        for files in [nil, ["a.pdf", "b.pdf"]] {
            let handler = try #require(
                files.map { merger.transfer(.push, of: $0) } ?? merger.transfer(.push))
            for bytes: UInt64 in [60, 20, 60, 100] {
                handler(TransferProgress(bytes: bytes, totalBytes: 100, items: 0, totalItems: 2, item: 0))
            }
            merger.settle()
        }
        let bytes = shown.updates.map(\.bytesDone)
        #expect(bytes == bytes.sorted())
        #expect(bytes.contains(60) && bytes.last == 200)
    }

    @Test("A short transfer during a long one does not count the bytes of the long one twice")
    func nested() throws {
        let shown = CollectedProgress()
        let merger = ProgressMerger { shown.add($0) }
        merger.begin("Copying", items: 2, bytes: 200, counting: [.push, .read])
        let handler = try #require(merger.transfer(.push))
        handler(TransferProgress(bytes: 100, totalBytes: 200, items: 0, totalItems: 2, item: 0))
        let short = try #require(merger.transfer(.read))
        short(TransferProgress(bytes: 8, totalBytes: 8, items: 0, totalItems: 1, item: 0))
        merger.settle()
        handler(TransferProgress(bytes: 120, totalBytes: 200, items: 1, totalItems: 2, item: 1))
        #expect(shown.updates.last?.bytesDone == 120)
    }
}
