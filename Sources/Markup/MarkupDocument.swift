/// A parsed XML document and its first fault.
package struct MarkupDocument: Sendable {
    /// The first error that libxml2 or a limit reported.
    package struct Fault: Hashable, Sendable {
        /// libxml2's error number; 0 for a limit of this module.
        package var code: Int32
        /// The line, starting at 1; 0 if it is not known.
        package var line: Int
        /// The error message, without a full stop.
        package var message: String

        /// The text `line 3: message`.
        package var text: String { line > 0 ? "line \(line): \(message)" : message }
    }

    /// The root element. For a damaged document, the part of it that could be read.
    package var root: MarkupElement
    /// The first fault that made the document not well-formed; nil for an intact document.
    package var fault: Fault?
    /// Whether the document declares its own entities, which are never expanded.
    package var declaresEntities: Bool
}

/// One element of a parsed XML document. Names have no namespace prefix.
package struct MarkupElement: Hashable, Sendable {
    /// The local name.
    package var name: String
    /// The URI of the namespace; nil if there is none or the prefix was not declared.
    package var namespace: String?
    /// The attributes in document order.
    package var attributes: MarkupAttributes
    /// Child elements in document order.
    package var children: [MarkupElement]
    /// The element's own text and CDATA, without the text of its children.
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

    /// The value of the first attribute with that local name.
    package subscript(name: String) -> String? { attributes[name] }

    /// The first child with that name.
    package func first(_ name: String) -> MarkupElement? {
        children.first { $0.name == name }
    }

    /// All children with that name, in document order.
    package func all(_ name: String) -> [MarkupElement] {
        children.filter { $0.name == name }
    }

    /// The text of the element and of everything below it. An element's own text comes before that of its children.
    package var deepText: String {
        children.isEmpty ? text : children.reduce(into: text) { $0 += $1.deepText }
    }

    /// The first element with that name in document order, which is this element or one below it.
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
        /// The URI of the namespace; nil if there is none.
        package var namespace: String?
        /// The value, with white space normalized as XML requires.
        package var value: String
    }

    private var items: [Attribute] = []

    package init(dictionaryLiteral elements: (String, String)...) {
        items = elements.map { Attribute(name: $0, namespace: nil, value: $1) }
    }

    /// The value of the first attribute with that local name, in any namespace.
    package subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    package func makeIterator() -> IndexingIterator<[Attribute]> { items.makeIterator() }

    mutating func reserveCapacity(_ count: Int) { items.reserveCapacity(count) }

    mutating func append(_ attribute: Attribute) { items.append(attribute) }
}
