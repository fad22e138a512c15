import Archives
import FoundationEssentials
import Synchronization

/// A resource that reads from an expensive resource in multiples of a buffer size, and serves small reads from the
/// buffer.
///
/// ```swift
/// let remote = HTTPFetcher().get(href: "https://example.com/emma.mobi")
/// let book = BufferingResource(remote, bufferSize: 64 << 10)
/// print(try book.read(range: 0..<32).get())
/// print(try book.read(range: 60..<68).get())  // from the buffer
/// book.close()
/// ```
public final class BufferingResource: Resource {
    private struct Buffer {
        var start: Int64 = 0
        var bytes = Data()
        var end: Int64 { start + Int64(bytes.count) }
    }

    private let resource: any Resource
    private let bufferSize: Int64
    /// Held while reading, so that the reads of several threads are serialized.
    private let buffer = Mutex(Buffer())
    private let isClosed = Atomic(false)

    /// Buffers `resource`, which it closes with itself.
    ///
    /// `bufferSize`: in bytes. 8 KiB suit a local deflated entry; a remote resource needs far more.
    public init(_ resource: any Resource, bufferSize: Int = 8 << 10) {
        self.resource = resource
        self.bufferSize = Int64(max(1, bufferSize))
    }

    /// The resource's link.
    public var link: Link { resource.link }

    /// The resource's length.
    public var length: Result<Int64, ResourceError> { resource.length }

    /// The resource's file.
    public var file: URL? { resource.file }

    /// Reads the range from the buffer, and the missing rest from the resource. Reading everything bypasses the
    /// buffer.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        guard let range else { return resource.read(range: nil) }
        let start = max(0, range.lowerBound)
        guard range.upperBound > start else { return resource.read(range: start..<start) }
        return buffer.withLock { buffer in
            guard !isClosed.load(ordering: .acquiring) else {
                return .failure(.unavailable(RequestProblem.closed))
            }
            let known = buffer
            if known.start <= start, range.upperBound <= known.end {
                return .success(known.bytes.part(from: start - known.start, count: range.upperBound - start))
            }
            let isContinued = known.start <= start && start < known.end
            let first = isContinued ? known.end : start
            return resource.read(range: first..<roundedEnd(from: first, to: range.upperBound)).map { fresh in
                var joined = Buffer(start: start, bytes: fresh)
                if isContinued {
                    joined.bytes =
                        known.bytes.part(from: start - known.start, count: known.end - start) + fresh
                }
                if !fresh.isEmpty { buffer = tail(of: joined) }
                return joined.bytes.part(from: 0, count: range.upperBound - start)
            }
        }
    }

    /// Closes the resource and releases the buffer. Does not wait for reads in progress, which end as the resource's
    /// reads do.
    public func close() {
        isClosed.store(true, ordering: .releasing)
        resource.close()
        buffer.withLockIfAvailable { $0 = Buffer() }
    }

    /// The end of the range, rounded up so that the read covers whole buffers.
    private func roundedEnd(from start: Int64, to end: Int64) -> Int64 {
        let wanted = end - start
        let missing = (bufferSize - wanted % bufferSize) % bufferSize
        let (rounded, overflow) = end.addingReportingOverflow(missing)
        return overflow ? .max : rounded
    }

    /// The last bytes that were read, as many as the buffer holds.
    private func tail(of read: Buffer) -> Buffer {
        let surplus = max(0, Int64(read.bytes.count) - bufferSize)
        return Buffer(
            start: read.start + surplus, bytes: read.bytes.part(from: surplus, count: bufferSize))
    }
}
