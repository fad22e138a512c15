/// A parsed XML document, and what was wrong with it.
package struct MarkupDocument: Sendable {
    /// What libxml2 or a limit complained about first.
    package struct Fault: Hashable, Sendable {
        /// libxml2's number; 0 for a limit of this module.
        package var code: Int32
        /// The line, from 1; 0 when it is not known.
        package var line: Int
        /// The complaint, without a full stop.
        package var message: String

        /// `line 3: complaint`.
        package var text: String { line > 0 ? "line \(line): \(message)" : message }
    }

    /// The root element; of a damaged document as much of it as could be read.
    package var root: MarkupElement
    /// The first thing that made the document less than well-formed; nil for a sound one.
    package var fault: Fault?
    /// True when the document declares entities of its own, which are never expanded.
    package var declaresEntities: Bool
}

/// One element of a parsed XML document; names are without their namespace prefix.
package struct MarkupElement: Hashable, Sendable {
    /// The local name.
    package var name: String
    /// The namespace's address; nil without one, also when the prefix was never declared.
    package var namespace: String?
    /// The attributes in document order.
    package var attributes: MarkupAttributes
    /// Child elements in document order.
    package var children: [MarkupElement]
    /// The element's own text and CDATA, without that of its children.
    package var text: String

    package init(
        _ name: String, namespace: String? = nil, attributes: MarkupAttributes = [:],
        children: [MarkupElement] = [], text: String = ""
    ) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes
        self.children = children
        self.text = text
    }

    /// The value of the first attribute of that local name.
    package subscript(name: String) -> String? { attributes[name] }

    /// The first child of that name.
    package func first(_ name: String) -> MarkupElement? {
        children.first { $0.name == name }
    }

    /// All children of that name, in document order.
    package func all(_ name: String) -> [MarkupElement] {
        children.filter { $0.name == name }
    }

    /// The text of the element and of everything below it; an element's own text comes before that of its children.
    package var deepText: String {
        children.isEmpty ? text : children.reduce(into: text) { $0 += $1.deepText }
    }

    /// The element itself or the first of that name below it, in document order.
    package func firstAnywhere(_ name: String) -> MarkupElement? {
        if self.name == name { return self }
        for child in children {
            if let found = child.firstAnywhere(name) { return found }
        }
        return nil
    }
}

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

    /// The value of the first attribute of that local name, in any namespace.
    package subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    package func makeIterator() -> IndexingIterator<[Attribute]> { items.makeIterator() }

    mutating func reserveCapacity(_ count: Int) { items.reserveCapacity(count) }

    mutating func append(_ attribute: Attribute) { items.append(attribute) }
}
