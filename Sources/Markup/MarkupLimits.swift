/// How much of an XML document is accepted; every document comes from somebody who may mean harm.
package struct MarkupLimits: Hashable, Sendable {
    /// The largest document, in bytes.
    package var bytes: Int
    /// The largest number of elements.
    package var elements: Int
    /// The deepest nesting; the root is at depth 1. Values above `deepest` count as that.
    package var depth: Int

    /// A tree is released recursively, so an unlimited depth would be a way to exhaust the stack.
    package static let deepest = 256
    /// The largest number of attributes of one element: libxml2 compares each with all others.
    package static let mostAttributes = 256
    /// The largest number of namespaces declared around one place: each name is looked up among all of them.
    package static let mostNamespaces = 256
    /// The largest number of mistakes looked over in one document.
    package static let mostFaults = 1000

    package init(bytes: Int, elements: Int, depth: Int) {
        self.bytes = bytes
        self.elements = elements
        self.depth = depth
    }
}
