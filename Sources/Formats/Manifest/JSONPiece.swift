import Glibc

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

    private var piece = Memory(capacity: SniffLimits.farLook)
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

/// The names of members that rules ask for.
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

    /// The name of these bytes.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        func isEqual(_ name: StaticString) -> Bool {
            guard let start = bytes.baseAddress, name.utf8CodeUnitCount == bytes.count else { return false }
            return memcmp(start, name.utf8Start, bytes.count) == 0
        }
        // Looked at by length first: most names of a document are of no interest.
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
