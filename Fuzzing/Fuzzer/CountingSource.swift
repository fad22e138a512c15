import Archives
import FoundationEssentials
import Synchronization

/// A source of bytes, padded with blanks to a length, that counts the bytes read.
final class CountingSource: ByteSource {
    private let data: Data
    private let count: Int64
    private let read = Atomic<Int64>(0)
    let isNear: Bool

    /// - Parameter length: the padded length, at least that of the data.
    init(_ data: Data, length: Int64 = 0, isNear: Bool = false) {
        self.data = data
        count = max(length, Int64(data.count))
        self.isNear = isNear
    }

    var length: Int64 { count }

    /// Bytes delivered so far.
    var bytesRead: Int64 { read.load(ordering: .relaxed) }

    func read(at offset: Int64, count wanted: Int) -> Data {
        let start = min(max(0, offset), count)
        let end = start + min(Int64(max(0, wanted)), count - start)
        let held = Int64(data.count)
        var part = Data(data.dropFirst(Int(min(start, held))).prefix(Int(max(0, min(end, held) - start))))
        part += Data(repeating: 0x20, count: Int(end - start) - part.count)
        read.wrappingAdd(end - start, ordering: .relaxed)
        return part
    }

    func close() {}
}
