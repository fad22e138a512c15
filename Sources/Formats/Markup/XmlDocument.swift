/// What sniffing knows about an XML document: its root element's start tag.
public struct XmlDocument: Sendable, Hashable {
    /// The root element.
    public let documentNode: XmlNode

    /// A document of a root.
    public init(documentNode: XmlNode) { self.documentNode = documentNode }
}

/// The start tag of an element.
public struct XmlNode: Sendable, Hashable {
    /// The local name, without a prefix, as written.
    public let tag: String
    /// The prefix before the colon; nil without one.
    public let prefix: String?
    /// The namespace that the tag itself declares for its prefix; nil without one, also when the prefix is not declared.
    public let namespace: String?
    /// The attributes by their names as written, prefixes included; the first of a repeated name.
    public let attributes: [String: String]

    /// A start tag of its parts.
    public init(
        tag: String, prefix: String? = nil, namespace: String? = nil, attributes: [String: String] = [:]
    ) {
        self.tag = tag
        self.prefix = prefix
        self.namespace = namespace
        self.attributes = attributes
    }
}

/// How a document begins: its document type and its root.
public struct MarkupStart: Sendable, Hashable {
    /// The name in `<!DOCTYPE name`, as written; nil without one.
    public var doctype: String?
    /// Whether only a byte order mark, blanks and an XML declaration precede that.
    public var beginsWithDoctype: Bool
    /// The root element; nil if its start tag is damaged or was not reached.
    public var root: XmlNode?

    /// A start of its parts.
    public init(doctype: String?, beginsWithDoctype: Bool, root: XmlNode?) {
        self.doctype = doctype
        self.beginsWithDoctype = beginsWithDoctype
        self.root = root
    }

    /// Whether the document type is `html`, in any case.
    public var hasHtmlDoctype: Bool { doctype.map { HTTPToken.lowered($0) == "html" } ?? false }
}
