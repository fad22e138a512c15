import Diagnostics

extension PropertyList {
    /// The two supported forms.
    package enum Form: Sendable, Equatable, CaseIterable {
        case xml, binary

        /// Determines the form from the beginning of the bytes. Only parsing shows whether they are a property list.
        package init(of bytes: some Sequence<UInt8>) {
            self = bytes.starts(with: PropertyList.binaryMark) ? .binary : .xml
        }
    }

    /// The beginning of every binary list.
    static let binaryMark = Array("bplist00".utf8)

    /// Parses an XML or binary property list from an untrusted source.
    ///
    /// It expands only the five predefined entities of XML, and accesses nothing outside the bytes.
    package init(
        parsing bytes: some Sequence<UInt8>, limits: PropertyListLimits = .message
    ) throws(PropertyListError) {
        let bytes = bytes as? [UInt8] ?? Array(bytes)
        guard bytes.count <= limits.bytes else {
            throw PropertyListError(.tooLarge, "The property list is larger than \(limits.bytes) bytes.")
        }
        switch Form(of: bytes) {
        case .binary: self = try BinaryParser.parse(bytes, limits)
        case .xml: self = try XMLParser.parse(bytes, limits)
        }
    }

    /// Encodes this list. Equal lists have equal bytes.
    ///
    /// - Throws: `unsupported` for a text that XML cannot represent, or for a result of more than 4 GiB.
    package func encoded(_ form: Form = .xml) throws(PropertyListError) -> [UInt8] {
        switch form {
        case .xml: try XMLWriter.write(self)
        case .binary: try BinaryWriter.write(self)
        }
    }
}

/// The limits for parsing a property list from an untrusted source.
package struct PropertyListLimits: Sendable, Equatable {
    /// The largest size in bytes.
    package var bytes: Int
    /// The largest number of values. A shared value counts at each use, so that a small binary list of nested lists
    /// cannot expand beyond the available memory.
    package var values: Int
    /// The deepest nesting of lists.
    package var depth: Int
    /// The largest size of a binary list, as a multiple of its encoded size, if each use of a shared text counts; nil
    /// for no limit. This parser stores a shared text once, but callers that copy the values need a limit.
    package var repetition: Int?

    /// Creates limits.
    package init(bytes: Int, values: Int, depth: Int = 64, repetition: Int? = nil) {
        self.bytes = bytes
        self.values = values
        self.depth = depth
        self.repetition = repetition
    }

    /// The limits for messages of a device or a host, which need four levels and a few thousand values.
    package static let message = PropertyListLimits(bytes: 64 << 20, values: 200_000, repetition: 4)
    /// The limits for files in which an app stores data about a complete library.
    package static let file = PropertyListLimits(bytes: 64 << 20, values: 2_000_000)
}
