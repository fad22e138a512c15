import Archives
import FoundationEssentials
import Synchronization

/// A source in memory that records every read.
final class CountingSource: ByteSource {
    private let source: DataByteSource
    private let noted = Mutex<[Range<Int64>]>([])
    private let refused = Mutex<ByteSourceError?>(nil)

    init(_ data: Data) { source = DataByteSource(data) }

    /// The ranges that were delivered, in order.
    var reads: [Range<Int64>] { noted.withLock { $0 } }

    /// The number of delivered bytes.
    var bytesRead: Int64 { reads.reduce(0) { $0 + $1.upperBound - $1.lowerBound } }

    /// Clears the recorded reads.
    func reset() { noted.withLock { $0 = [] } }

    /// Makes every further read fail.
    func fail(_ error: ByteSourceError) { refused.withLock { $0 = error } }

    var length: Int64 { source.length }

    func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        if let error = refused.withLock({ $0 }) { throw error }
        let data = try source.read(at: offset, count: count)
        noted.withLock { $0.append(offset..<(offset + Int64(data.count))) }
        return data
    }

    func close() { source.close() }
}
