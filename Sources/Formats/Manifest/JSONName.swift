import Glibc

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
