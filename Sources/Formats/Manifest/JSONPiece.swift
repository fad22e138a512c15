/// The memory a walker works on: the present piece of the document, and one text put together from several.
///
/// It stays at its place, so that the walker can use pointers into it for as long as it holds this object.
final class JSONPiece {
    /// Bytes at a place that changes only when longer ones come.
    private struct Memory {
        var start: UnsafeMutablePointer<UInt8>
        var capacity: Int

        init(capacity: Int) {
            start = .allocate(capacity: capacity)
            self.capacity = capacity
        }

        mutating func hold(_ content: [UInt8]) {
            if capacity < content.count {
                start.deallocate()
                self = Memory(capacity: content.count)
            }
            content.withUnsafeBufferPointer { content in
                guard let source = content.baseAddress else { return }
                start.update(from: source, count: content.count)
            }
        }
    }

    private var piece = Memory(capacity: SniffLimits.firstLook)
    private var text = Memory(capacity: 64)
    private var textCount = 0

    deinit {
        piece.start.deallocate()
        text.start.deallocate()
    }

    /// The bytes of the piece.
    var bytes: UnsafePointer<UInt8> { UnsafePointer(piece.start) }

    /// Takes the next piece.
    func fill(_ content: [UInt8]) { piece.hold(content) }

    /// Keeps a text.
    func keep(_ content: [UInt8]) {
        text.hold(content)
        textCount = content.count
    }

    /// The text kept last.
    var kept: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: text.start, count: textCount) }
}
