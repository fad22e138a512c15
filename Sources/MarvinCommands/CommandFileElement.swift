/// An element of a parsed XML document. Names do not include namespace prefixes.
package struct CommandFileElement: Hashable, Sendable {
    /// The local name.
    package var name: String
    /// The attribute values by local name. If two attributes have the same local name, the first is used.
    package var attributes: [String: String]
    /// Child elements in document order.
    package var children: [CommandFileElement]
    /// The element's own text and CDATA, without that of its children.
    package var text: String

    /// Creates an element with its content.
    package init(
        _ name: String, attributes: [String: String] = [:], children: [CommandFileElement] = [],
        text: String = ""
    ) {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.text = text
    }

    /// The first child with a name.
    package func first(_ name: String) -> CommandFileElement? {
        children.first { $0.name == name }
    }

    /// All children with a name, in document order.
    package func all(_ name: String) -> [CommandFileElement] {
        children.filter { $0.name == name }
    }

    /// The text without white space at both ends.
    package var trimmedText: String {
        text.trimmingXMLSpace()
    }
}

extension String {
    /// The text without the four XML white space characters at both ends.
    package func trimmingXMLSpace() -> String {
        let isSpace: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\n" || $0 == "\r" || $0 == "\t" }
        let scalars = unicodeScalars
        guard let start = scalars.firstIndex(where: { !isSpace($0) }),
            let end = scalars.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(scalars[start...end])
    }
}

/// The limits for an XML file, because every file comes from an untrusted source.
package struct CommandFileLimits: Hashable, Sendable {
    /// The largest file, in bytes.
    package var bytes: Int
    /// The largest number of elements.
    package var elements: Int
    /// The deepest nesting; the depth of the root is 1. Values above `deepest` are reduced to it.
    package var depth: Int

    /// The largest possible depth limit, because releasing a tree is recursive and a deep tree could exhaust the
    /// stack.
    package static let deepest = 256
    /// The largest number of attributes of an element. The protocol uses at most 13, and the cost grows with the
    /// square of the number.
    package static let mostAttributes = 256

    /// Creates limits for the size in bytes, the number of elements, and the depth.
    package init(bytes: Int, elements: Int, depth: Int) {
        self.bytes = bytes
        self.elements = elements
        self.depth = depth
    }

    /// The limits for `status.xml` and `connected.xml`: a few lines, or a message for each of several thousand books.
    package static let status = CommandFileLimits(bytes: 4 << 20, elements: 50_000, depth: 16)
    /// The limits for commands: thousands of books, some with an embedded cover.
    package static let command = CommandFileLimits(bytes: 64 << 20, elements: 500_000, depth: 16)
}
