import Archives
import FoundationEssentials
import Synchronization

/// Counts the bytes that are read from another source.
final class CountingByteSource: ByteSource {
    private let source: any ByteSource
    private let count = Atomic<Int64>(0)

    init(_ source: any ByteSource) { self.source = source }

    /// The number of bytes read so far.
    var bytesRead: Int64 { count.load(ordering: .relaxed) }

    var isNear: Bool { source.isNear }

    var length: Int64 { get throws(ByteSourceError) { try source.length } }

    func read(at offset: Int64, count wanted: Int) throws(ByteSourceError) -> Data {
        let data = try source.read(at: offset, count: wanted)
        count.add(Int64(data.count), ordering: .relaxed)
        return data
    }

    func ends(head: Int, tail: Int) throws(ByteSourceError) -> SourceEnds? {
        let ends = try source.ends(head: head, tail: tail)
        if let ends { count.add(Int64(ends.head.count + ends.tail.count), ordering: .relaxed) }
        return ends
    }

    func close() { source.close() }
}
