/// How much of an XML file is accepted before it is refused; every file comes from the other side of a cable.
package struct MarkupLimits: Hashable, Sendable {
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
    package static let status = MarkupLimits(bytes: 4 << 20, elements: 50_000, depth: 16)
    /// For commands: thousands of books, some with an embedded cover.
    package static let command = MarkupLimits(bytes: 64 << 20, elements: 500_000, depth: 16)
}
