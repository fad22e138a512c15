public import Archives
public import FoundationEssentials

/// Reads content from its start to its end. Belongs to one thread.
public final class ContentStream {
    private let source: any ByteSource
    private let ownsSource: Bool
    private var position: Int64 = 0
    private var isClosed = false

    init(_ source: any ByteSource, ownsSource: Bool) {
        self.source = source
        self.ownsSource = ownsSource
    }

    /// At most `count` further bytes, fewer only at the end, none after it.
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
