/// The attributes of an element by local name, in document order.
package struct MarkupAttributes: Hashable, Sendable, ExpressibleByDictionaryLiteral, Sequence {
    /// One attribute.
    package struct Attribute: Hashable, Sendable {
        /// The local name.
        package var name: String
        /// The namespace's address; nil without one.
        package var namespace: String?
        /// The value, with its white space normalised as XML asks for.
        package var value: String
    }

    private var items: [Attribute] = []

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        items = elements.map { Attribute(name: $0, namespace: nil, value: $1) }
    }

    /// The value of the first attribute of that local name, whatever its namespace.
    package subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    package func makeIterator() -> IndexingIterator<[Attribute]> { items.makeIterator() }

    mutating func reserveCapacity(_ count: Int) { items.reserveCapacity(count) }

    mutating func append(_ attribute: Attribute) { items.append(attribute) }
}
