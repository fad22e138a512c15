import Archives
import Foundation
import Synchronization

/// Counts how often and how much is read of bytes in memory, as if each read were a round trip to a device.
final class CountingByteSource: ByteSource {
    private let source: any ByteSource
    private let counts = Mutex((calls: 0, bytes: 0))
    private let closed = Mutex(false)

    init(_ data: Data) { source = DataByteSource(data) }

    init(_ source: any ByteSource) { self.source = source }

    var calls: Int { counts.withLock { $0.calls } }
    var bytes: Int { counts.withLock { $0.bytes } }
    var isClosed: Bool { closed.withLock { $0 } }

    var length: Int64 { get throws(ByteSourceError) { try source.length } }

    func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        let data = try source.read(at: offset, count: count)
        counts.withLock {
            $0.calls += 1
            $0.bytes += data.count
        }
        return data
    }

    func close() {
        closed.withLock { $0 = true }
        source.close()
    }
}
