import FoundationEssentials
import Glibc
import Synchronization

/// Bytes of known length that can be read at any offset: a file, memory, or a remote resource.
///
/// All members may be called from any thread at any time, also concurrently. Calls may block.
///
/// ```swift
/// /// The bytes of another source from a position on.
/// struct Remainder: ByteSource {
///     var base: any ByteSource
///     var start: Int64
///
///     var length: Int64 { get throws(ByteSourceError) { max(0, try base.length - start) } }
///     func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
///         try base.read(at: start + max(0, offset), count: count)
///     }
///     func close() { base.close() }
/// }
/// ```
public protocol ByteSource: Sendable {
    /// The length in bytes, as far as it is known without reading.
    var length: Int64 { get throws(ByteSourceError) }

    /// Whether reads are cheap, so that a damaged file may be searched completely. False by default.
    var isNear: Bool { get }

    /// Reads `count` bytes at `offset`: fewer only at the end of the source, and none at or after its end.
    ///
    /// Negative numbers count as 0. No memory is allocated for bytes that the source does not have.
    func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data

    /// Reads into the caller's memory. Returns the number of bytes written, which is smaller than the buffer only at
    /// the end.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int

    /// Reads the first `head` and the last `tail` bytes at once, for sources where this is cheaper than two reads.
    /// Returns nil by default.
    func ends(head: Int, tail: Int) throws(ByteSourceError) -> SourceEnds?

    /// Releases the resources of the source. Later reads fail with `closed`; a second call does nothing.
    func close()
}

extension ByteSource {
    /// False by default.
    public var isNear: Bool { false }

    /// Returns nil by default.
    public func ends(head: Int, tail: Int) throws(ByteSourceError) -> SourceEnds? { nil }

    /// Reads a `Data` and copies its bytes.
    public func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ByteSourceError) -> Int {
        let data = try read(at: offset, count: buffer.count)
        let count = min(data.count, buffer.count)
        data.copyBytes(to: buffer, count: count)
        return count
    }
}

/// The beginning and the end of a source.
///
/// ```swift
/// func ends(of book: Data, head: Int, tail: Int) -> SourceEnds {
///     let first = Data(book.prefix(head))
///     let last = Data(book.dropFirst(first.count).suffix(tail))
///     return SourceEnds(length: Int64(book.count), head: first, tail: last)
/// }
/// ```
public struct SourceEnds: Sendable, Equatable {
    /// The length of the source in bytes.
    public var length: Int64
    /// The first bytes.
    public var head: Data
    /// The last bytes, without those that are part of `head`.
    public var tail: Data

    /// Creates the ends of a source.
    public init(length: Int64, head: Data, tail: Data) {
        self.length = length
        self.head = head
        self.tail = tail
    }
}

/// Counts the reads of a source.
final class ReadCount: Sendable {
    /// The number of bytes that were read.
    let bytes = Atomic<Int64>(0)
    /// The number of calls.
    let calls = Atomic<Int>(0)

    /// Reads from the source and counts.
    func read(_ source: any ByteSource, at offset: Int64, count: Int) throws(ArchiveError) -> Data {
        let data: Data
        do throws(ByteSourceError) {
            data = try source.read(at: offset, count: count)
        } catch {
            throw ArchiveError(error)
        }
        calls.wrappingAdd(1, ordering: .relaxed)
        bytes.wrappingAdd(Int64(data.count), ordering: .relaxed)
        return data
    }
}

extension Data {
    /// Creates data of at most `capacity` bytes that `body` writes. The memory is not cleared before.
    ///
    /// - Parameter body: writes to the buffer and returns the number of valid bytes at its beginning.
    package static func filling<Failure: Error>(
        _ capacity: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Data {
        guard capacity > 0, let memory = malloc(capacity) else { return Data() }
        let count: Int
        do {
            count = try body(UnsafeMutableRawBufferPointer(start: memory, count: capacity))
        } catch {
            free(memory)
            throw error
        }
        guard count > 0 else {
            free(memory)
            return Data()
        }
        // A mostly empty buffer would occupy all its memory for the lifetime of the data.
        let kept = count < capacity / 2 ? (realloc(memory, count) ?? memory) : memory
        return Data(bytesNoCopy: kept, count: Swift.min(count, capacity), deallocator: .free)
    }
}

extension Data {
    /// A copy of up to `count` bytes from an offset, which is counted from 0; fewer if the data end before.
    package func part(from offset: Int64, count wanted: Int64) -> Data {
        let start = Swift.min(Swift.max(0, offset), Int64(count))
        let end = start + Swift.min(Swift.max(0, wanted), Int64(count) - start)
        // A slice would not start at index 0, as callers expect.
        return Data(self[(startIndex + Int(start))..<(startIndex + Int(end))])
    }
}
