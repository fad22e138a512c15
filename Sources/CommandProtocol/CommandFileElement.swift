/// One element of a parsed XML document; names are without their namespace prefix.
package struct CommandFileElement: Hashable, Sendable {
    /// The local name.
    package var name: String
    /// Attribute values by local name; of two attributes with the same local name the first counts.
    package var attributes: [String: String]
    /// Child elements in document order.
    package var children: [CommandFileElement]
    /// The element's own text and CDATA, without that of its children.
    package var text: String

    /// An element with what stands in it.
    package init(
        _ name: String, attributes: [String: String] = [:], children: [CommandFileElement] = [],
        text: String = ""
    ) {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.text = text
    }

    /// The first child of that name.
    package func first(_ name: String) -> CommandFileElement? {
        children.first { $0.name == name }
    }

    /// All children of that name, in document order.
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

/// How much of an XML file is accepted before it is refused; every file comes from the other side of a cable.
package struct CommandFileLimits: Hashable, Sendable {
    /// The largest file, in bytes.
    package var bytes: Int
    /// The largest number of elements.
    package var elements: Int
    /// The deepest nesting; the root is at depth 1. Values above `deepest` count as that.
    package var depth: Int

    /// A tree is released recursively, so an unlimited depth would be a way to exhaust the stack.
    package static let deepest = 256
    /// The largest number of attributes of one element; the protocol has at most 13, and their cost grows with the square.
    package static let mostAttributes = 256

    /// Limits of a file: its bytes, its elements in all, and how deep they stand in each other.
    package init(bytes: Int, elements: Int, depth: Int) {
        self.bytes = bytes
        self.elements = elements
        self.depth = depth
    }

    /// For `status.xml` and `connected.xml`: a few lines, or a message for each of some thousand books.
    package static let status = CommandFileLimits(bytes: 4 << 20, elements: 50_000, depth: 16)
    /// For commands: thousands of books, some with an embedded cover.
    package static let command = CommandFileLimits(bytes: 64 << 20, elements: 500_000, depth: 16)
}
