import Archives
import FoundationEssentials

/// A source that somebody else owns: closing it does nothing. An archive opened from it cannot take it away.
struct BorrowedByteSource: ByteSource {
    private let source: any ByteSource

    init(_ source: any ByteSource) { self.source = source }

    var isNear: Bool { source.isNear }

    var length: Int64 { get throws(ByteSourceError) { try source.length } }

    func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        try source.read(at: offset, count: count)
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int {
        try source.read(at: offset, into: buffer)
    }

    func close() {}
}
