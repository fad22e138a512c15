extension PropertyList {
    /// The two forms in use.
    package enum Form: Sendable, Equatable, CaseIterable {
        case xml, binary

        /// The form that bytes have by their beginning; whether they are a list at all, reading them shows.
        package init(of bytes: some Sequence<UInt8>) {
            self = bytes.starts(with: PropertyList.binaryMark) ? .binary : .xml
        }
    }

    /// What every binary list begins with.
    static let binaryMark = Array("bplist00".utf8)

    /// Parses an XML or binary property list that came from outside.
    ///
    /// Nothing in it is expanded but the five entities of XML itself, and nothing is taken from outside the bytes.
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

    /// The bytes of this list, the same for equal lists.
    ///
    /// - Throws: `unsupported` for a text that XML cannot hold, or a whole that is beyond 4 GiB.
    package func encoded(_ form: Form = .xml) throws(PropertyListError) -> [UInt8] {
        switch form {
        case .xml: try XMLWriter.write(self)
        case .binary: try BinaryWriter.write(self)
        }
    }
}

/// What a property list from outside may hold before its reader gives up.
package struct PropertyListLimits: Sendable, Equatable {
    /// The most bytes.
    package var bytes: Int
    /// The most values, shared ones counted at each use, so that a small binary list of lists of lists cannot unfold into
    /// more than memory holds.
    package var values: Int
    /// How deep lists may be nested.
    package var depth: Int
    /// How many times its own size a binary list may become where each use of a shared text counts; nil: as it likes, for
    /// here such a text is kept once. Lists whose values are copied need a limit.
    package var repetition: Int?

    /// Limits of any size.
    package init(bytes: Int, values: Int, depth: Int = 64, repetition: Int? = nil) {
        self.bytes = bytes
        self.values = values
        self.depth = depth
        self.repetition = repetition
    }

    /// For the messages of a device or a host, which need four levels and a few thousand values.
    package static let message = PropertyListLimits(bytes: 64 << 20, values: 200_000, repetition: 4)
    /// For files in which an app keeps what it knows about a whole library.
    package static let file = PropertyListLimits(bytes: 64 << 20, values: 2_000_000)
}
