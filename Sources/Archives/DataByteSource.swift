import FoundationEssentials
import Synchronization

/// Bytes in memory as a source.
public final class DataByteSource: ByteSource {
    private let data: Mutex<Data?>
    private let count: Int

    /// A source of these bytes.
    public init(_ data: Data) {
        self.data = Mutex(data)
        count = data.count
    }

    /// The number of bytes, also after closing.
    public var length: Int64 { Int64(count) }

    /// Near.
    public var isNear: Bool { true }

    /// A copy of the bytes asked for.
    public func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        guard let data = data.withLock({ $0 }) else { throw .closed(nil) }
        let start = Int(min(max(0, offset), Int64(data.count)))
        let end = start + min(max(0, count), data.count - start)
        // A slice would begin at another index than 0, which callers do not expect.
        return Data(data[(data.startIndex + start)..<(data.startIndex + end)])
    }

    /// Lets go of the bytes.
    public func close() { data.withLock { $0 = nil } }
}
