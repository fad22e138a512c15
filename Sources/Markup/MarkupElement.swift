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
