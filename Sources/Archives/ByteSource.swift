import FoundationEssentials
import Glibc
import Synchronization

/// Bytes of known length that can be read at any offset: a file, memory, a resource far away.
///
/// Any thread may call any member at any time, also several at once. Calls may block.
public protocol ByteSource: Sendable {
    /// How many bytes there are, as far as is known before reading them.
    var length: Int64 { get throws(ByteSourceError) }

    /// Whether reading costs little, so that a damaged file may be searched from end to end. False unless a source says so.
    var isNear: Bool { get }

    /// The `count` bytes at `offset`; fewer only where the source ends, none at or after its end.
    ///
    /// Negative numbers count as 0. No memory is set aside for bytes that the source has not.
    func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data

    /// Reads into memory of the caller and returns how many bytes were written, fewer than asked only at the end.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int

    /// The first `head` and the last `tail` bytes at once, for a source that gives both for less than two reads; nil unless a
    /// source says otherwise.
    func ends(head: Int, tail: Int) throws(ByteSourceError) -> SourceEnds?

    /// Lets go of what the source holds. Later reads fail with `closed`; a second call does nothing.
    func close()
}

extension ByteSource {
    /// Not near.
    public var isNear: Bool { false }

    /// Gives nothing.
    public func ends(head: Int, tail: Int) throws(ByteSourceError) -> SourceEnds? { nil }

    /// Reads by way of a `Data`.
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
public struct SourceEnds: Sendable, Equatable {
    /// Bytes of the source.
    public var length: Int64
    /// The first bytes.
    public var head: Data
    /// The last bytes, but for those that are among the first.
    public var tail: Data

    /// The ends of a source.
    public init(length: Int64, head: Data, tail: Data) {
        self.length = length
        self.head = head
        self.tail = tail
    }
}

/// Counts what is read from a source.
final class ReadCount: Sendable {
    /// Bytes delivered.
    let bytes = Atomic<Int64>(0)
    /// Calls made.
    let calls = Atomic<Int>(0)

    /// Reads and counts.
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
    /// Data of at most `capacity` bytes that `body` writes without the memory being cleared before.
    ///
    /// - Parameter body: writes to the buffer and returns how many bytes at its beginning count.
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
        // A buffer that stayed mostly empty would keep its whole memory for as long as the data lives.
        let kept = count < capacity / 2 ? (realloc(memory, count) ?? memory) : memory
        return Data(bytesNoCopy: kept, count: Swift.min(count, capacity), deallocator: .free)
    }
}

extension Data {
    /// A copy of `count` bytes from an offset that counts from 0, as far as they are there.
    package func part(from offset: Int64, count wanted: Int64) -> Data {
        let start = Swift.min(Swift.max(0, offset), Int64(count))
        let end = start + Swift.min(Swift.max(0, wanted), Int64(count) - start)
        // A slice would begin at another index than 0, which callers do not expect.
        return Data(self[(startIndex + Int(start))..<(startIndex + Int(end))])
    }
}
