public import Archives
public import FoundationEssentials
import Synchronization

/// A source whose bytes are read once for all sniffers, as far as they are kept, and that counts the bytes it reads.
///
/// It is a source itself, so that reads of an archive opened from it are counted and can use the bytes already read.
final class SniffedSource: ByteSource {
    private struct State {
        /// The first bytes of the content.
        var head: [UInt8] = []
        /// Whether the content ends with them.
        var headIsAll = false
        /// Other bytes that were read and kept.
        var pieces: [(start: Int64, bytes: Data)] = []
        var kept = 0
        var bytesRead: Int64 = 0
        var readError: ByteSourceError?
        var isClosed = false

        /// The bytes in memory from a position; empty if that position was not read.
        func known(_ start: Int64, to end: Int64) -> Data {
            if start < Int64(head.count) {
                return Data(head[Int(start)..<Int(min(end, Int64(head.count)))])
            }
            for piece in pieces where piece.start <= start && start < piece.start + Int64(piece.bytes.count) {
                return piece.bytes.part(from: start - piece.start, count: end - start)
            }
            return Data()
        }

        /// The position of the next bytes in memory.
        func nextKnown(after position: Int64) -> Int64 {
            pieces.lazy.map(\.start).filter { $0 > position }.min() ?? .max
        }

        /// Keeps bytes that were read, unless there are many: the rules read directories and small entries.
        mutating func keep(_ bytes: Data, at start: Int64) {
            guard !bytes.isEmpty, kept + bytes.count <= SniffLimits.kept else { return }
            pieces.append((start, bytes))
            kept += bytes.count
        }
    }

    private let base: any ByteSource
    private let ownsBase: Bool
    private let reopen: @Sendable () -> (any ByteSource)?
    private let state = Mutex(State())

    /// - Parameter reopen: returns the source for a stream. The stream closes it if this object owns its own source.
    init(_ base: any ByteSource, ownsBase: Bool, reopen: @escaping @Sendable () -> (any ByteSource)?) {
        self.base = base
        self.ownsBase = ownsBase
        self.reopen = reopen
    }

    /// The length that the source states; nil if it does not.
    var knownLength: Int64? {
        do throws(ByteSourceError) { return try base.length } catch { return nil }
    }

    var length: Int64 { get throws(ByteSourceError) { try base.length } }

    /// Whether the underlying source is near.
    var isNear: Bool { base.isNear }

    /// The number of bytes read so far.
    var bytesRead: Int64 { state.withLock { $0.bytesRead } }

    /// The first read error.
    var readError: ByteSourceError? { state.withLock { $0.readError } }

    /// At least `wanted` bytes from the start, or fewer if the content or the limit ends before.
    func head(_ wanted: Int) -> (bytes: [UInt8], isAll: Bool) {
        state.withLock { state in
            fill(&state, wanted)
            return (state.head, state.headIsAll)
        }
    }

    /// Whether the content begins with these bytes.
    func begins(with bytes: [UInt8]) -> Bool {
        state.withLock { state in
            fill(&state, bytes.count)
            return state.head.starts(with: bytes)
        }
    }

    private func fill(_ state: inout State, _ wanted: Int) {
        guard state.head.count < wanted, !state.headIsAll, !state.isClosed else { return }
        let known = state.head.count
        let count = SniffLimits.look(wanted, isNear: base.isNear) - known
        guard count > 0 else { return }
        do throws(ByteSourceError) {
            let got = try Self.append(to: &state.head, from: base, count: count)
            state.bytesRead += Int64(got)
            state.headIsAll = got < count
        } catch {
            state.readError = state.readError ?? error
            state.headIsAll = true
        }
    }

    /// Appends the bytes of the source that follow those in the array.
    private static func append(
        to head: inout [UInt8], from base: any ByteSource, count: Int
    ) throws(ByteSourceError) -> Int {
        var got: Result<Int, ByteSourceError> = .success(0)
        let known = head.count
        let grown = [UInt8](unsafeUninitializedCapacity: known + count) { buffer, initialized in
            let memory = UnsafeMutableRawBufferPointer(buffer)
            memory.copyBytes(from: head)
            let room = UnsafeMutableRawBufferPointer(rebasing: memory[known...])
            do throws(ByteSourceError) {
                let read = try base.read(at: Int64(known), into: room)
                got = .success(read)
                initialized = known + min(max(0, read), count)
            } catch {
                got = .failure(error)
                initialized = known
            }
        }
        head = grown
        return try got.get()
    }

    /// Reads bytes. Uses those in memory, and reads only the rest from the source.
    func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        try state.withLock { state throws(ByteSourceError) in
            guard !state.isClosed else { throw ByteSourceError(.closed, "The context was closed.") }
            var position = max(0, offset)
            let (sum, overflow) = position.addingReportingOverflow(Int64(max(0, count)))
            let end = overflow ? Int64.max : sum
            var result = Data()
            while position < end {
                var part = state.known(position, to: end)
                if part.isEmpty {
                    if state.headIsAll { break }
                    let gapEnd = min(end, state.nextKnown(after: position))
                    part = try fetch(&state, position, to: gapEnd)
                    if part.isEmpty { break }
                }
                position += Int64(part.count)
                if result.isEmpty { result = part } else { result.append(part) }
            }
            return result
        }
    }

    /// Reads bytes that are not in memory; fewer only if the source ends.
    private func fetch(
        _ state: inout State, _ start: Int64, to end: Int64
    ) throws(ByteSourceError) -> Data {
        let data: Data
        do throws(ByteSourceError) {
            data = try base.read(at: start, count: Int(clamping: end - start))
        } catch {
            state.readError = state.readError ?? error
            throw error
        }
        state.bytesRead += Int64(data.count)
        state.keep(data, at: start)
        return data
    }

    /// The bytes of a range; fewer at the end. Nil if they cannot be read.
    func data(_ range: Range<Int64>) -> Data? {
        let start = max(0, range.lowerBound)
        guard let count = Int(exactly: max(start, range.upperBound) - start) else { return nil }
        if start == 0, count <= SniffLimits.head { return head(count).bytes.prefixData(count) }
        do throws(ByteSourceError) { return try read(at: start, count: count) } catch { return nil }
    }

    /// A new stream from the start, independent of this source.
    func stream() -> ContentStream? { reopen().map { ContentStream($0, ownsSource: ownsBase) } }

    func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if isFirst, ownsBase { base.close() }
    }
}

extension [UInt8] {
    /// The first bytes as data.
    fileprivate func prefixData(_ count: Int) -> Data { Data(self[..<Swift.min(count, self.count)]) }
}

/// Limits on how much a guess reads, in bytes.
enum SniffLimits {
    /// The steps in which rules read the beginning of any source. Most rules need only the first.
    static let looks = [1 << 10, 4 << 10, 16 << 10, head]
    /// The limit for content that is neither an archive nor JSON.
    static let head = 64 << 10
    /// The first read of a remote source, where a second read costs more than additional bytes.
    static let farLook = 4 << 10

    /// The number of bytes to read from the beginning for a rule that needs `wanted` bytes.
    static func look(_ wanted: Int, isNear: Bool) -> Int {
        if isNear { return min(max(wanted, looks[0]), head) }
        return wanted > farLook ? head : farLook
    }

    /// The limit for bytes kept in addition to the head, so that they are not read twice.
    static let kept = 256 << 10
    /// The size of one read of a JSON document that is longer than the head.
    static let chunk = 256 << 10
    /// The longest text or JSON document that is read.
    static let document = 16 << 20
    /// The limit for the `mimetype` entry of an archive.
    static let mimetype = 64
}

/// Reads content from start to end. Used by one thread.
///
/// ```swift
/// func lines(in context: any Format.SnifferContext) throws -> Int {
///     guard let stream = context.stream() else { return 0 }
///     defer { stream.close() }
///     var lines = 0
///     while case let bytes = try stream.read(64 << 10), !bytes.isEmpty {
///         lines += bytes.count { $0 == UInt8(ascii: "\n") }
///     }
///     return lines
/// }
/// ```
public final class ContentStream {
    private let source: any ByteSource
    private let ownsSource: Bool
    private var position: Int64 = 0
    private var isClosed = false

    init(_ source: any ByteSource, ownsSource: Bool) {
        self.source = source
        self.ownsSource = ownsSource
    }

    /// Reads up to `count` more bytes: fewer only at the end, and none after it.
    public func read(_ count: Int) throws(ByteSourceError) -> Data {
        guard !isClosed else { throw ByteSourceError(.closed, "The stream was closed.") }
        let data = try source.read(at: position, count: max(0, count))
        position += Int64(data.count)
        return data
    }

    /// Releases the stream. A second call does nothing.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        if ownsSource { source.close() }
    }

    deinit { close() }
}
