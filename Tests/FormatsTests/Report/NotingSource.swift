import Archives
import Foundation
import Synchronization

/// Bytes in memory that record which of them were delivered.
final class NotingSource: ByteSource {
    private let bytes: Data
    private let delivered = Mutex<[Range<Int64>]>([])

    let isNear: Bool

    init(_ bytes: Data, isNear: Bool = false) {
        self.bytes = bytes
        self.isNear = isNear
    }

    /// The number of delivered bytes, with repetitions.
    var deliveredBytes: Int64 { delivered.withLock { $0.reduce(0) { $0 + Int64($1.count) } } }

    /// The number of delivered bytes, without repetitions.
    var distinctBytes: Int64 {
        delivered.withLock { ranges in
            var end: Int64 = 0
            return ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(0) { count, range in
                let new = max(0, range.upperBound - max(end, range.lowerBound))
                end = max(end, range.upperBound)
                return count + new
            }
        }
    }

    var length: Int64 { Int64(bytes.count) }

    func read(at offset: Int64, count: Int) -> Data {
        let start = min(max(0, offset), length)
        let end = start + min(Int64(max(0, count)), length - start)
        delivered.withLock { $0.append(start..<end) }
        return Data(bytes[Int(start)..<Int(end)])
    }

    func close() {}
}
