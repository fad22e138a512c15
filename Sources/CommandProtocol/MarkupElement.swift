/// One element of a parsed XML document; names are without their namespace prefix.
package struct MarkupElement: Hashable, Sendable {
    /// The local name.
    package var name: String
    /// Attribute values by local name; of two attributes with the same local name the first counts.
    package var attributes: [String: String]
    /// Child elements in document order.
    package var children: [MarkupElement]
    /// The element's own text and CDATA, without that of its children.
    package var text: String

    /// An element with what stands in it.
    package init(
        _ name: String, attributes: [String: String] = [:], children: [MarkupElement] = [], text: String = ""
    ) {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.text = text
    }

    /// The first child of that name.
    package func first(_ name: String) -> MarkupElement? {
        children.first { $0.name == name }
    }

    /// All children of that name, in document order.
    package func all(_ name: String) -> [MarkupElement] {
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
