import Testing

@testable import OverlayHost

@Suite("Batches of a sync are limited by books and bytes")
struct BatchLimitTests {
    /// The number of books of a size that fit into a batch.
    private func books(_ limit: BatchLimit, of bytes: UInt64) -> Int {
        var (limit, count) = (limit, 0)
        while !limit.isReached {
            limit.add(bytes, cover: nil)
            count += 1
        }
        return count
    }

    @Test("New books come in large batches, so that the device is examined rarely; others in small ones")
    func counts() {
        #expect(books(BatchLimit(.add, total: 5000), of: 1) == 4096)
        #expect(books(BatchLimit(.add, total: 160_000), of: 1) == 10_000)
        #expect(books(BatchLimit(.replace, total: 5000), of: 1) == 128)
        #expect(books(BatchLimit(.update, total: 64_000), of: 1) == 1000)
    }

    @Test("A batch ends when its bytes are reached")
    func bytes() {
        #expect(books(BatchLimit(.add, total: 10), of: 1 << 30) == 2)
        #expect(books(BatchLimit(.replace, total: 10), of: 1 << 28) == 2)
    }
}
