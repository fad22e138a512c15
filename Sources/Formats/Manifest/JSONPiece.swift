import Glibc

/// The memory that a walker uses: the current piece of the document, and one text assembled from several pieces.
///
/// Its memory does not move, so the walker can use pointers into it while it holds this object.
final class JSONPiece {
    /// A buffer that is reallocated only if more bytes are needed.
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

    private var piece = Memory(capacity: SniffLimits.farLook)
    private var text = Memory(capacity: 64)
    private var textCount = 0

    deinit {
        piece.start.deallocate()
        text.start.deallocate()
    }

    /// The bytes of the piece.
    var bytes: UnsafePointer<UInt8> { UnsafePointer(piece.start) }

    /// Replaces the piece.
    func fill(_ content: [UInt8]) { piece.hold(content) }

    /// Stores a text.
    func keep(_ content: [UInt8]) {
        text.hold(content)
        textCount = content.count
    }

    /// The text stored last.
    var kept: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: text.start, count: textCount) }
}

/// The names of members that the rules use.
enum JSONName {
    case metadata
    case links
    case readingOrder
    case spine
    case context
    case title
    case linkedType
    case href
    case type
    case rel
    case id
    case issued
    case provider
    case encryption
    case authentication
    /// Any other name.
    case other

    /// Identifies the name in these bytes.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        func isEqual(_ name: StaticString) -> Bool {
            guard let start = bytes.baseAddress, name.utf8CodeUnitCount == bytes.count else { return false }
            return memcmp(start, name.utf8Start, bytes.count) == 0
        }
        // Checks the length first, because most names in a document are irrelevant.
        switch bytes.count {
        case 2: self = isEqual("id") ? .id : .other
        case 3: self = isEqual("rel") ? .rel : .other
        case 4: self = isEqual("href") ? .href : isEqual("type") ? .type : .other
        case 5:
            self =
                isEqual("links")
                ? .links
                : isEqual("spine")
                    ? .spine : isEqual("title") ? .title : isEqual("@type") ? .linkedType : .other
        case 6: self = isEqual("issued") ? .issued : .other
        case 8:
            self =
                isEqual("metadata")
                ? .metadata : isEqual("@context") ? .context : isEqual("provider") ? .provider : .other
        case 10: self = isEqual("encryption") ? .encryption : .other
        case 12: self = isEqual("readingOrder") ? .readingOrder : .other
        case 14: self = isEqual("authentication") ? .authentication : .other
        default: self = .other
        }
    }
}
