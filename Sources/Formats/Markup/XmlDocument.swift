/// The part of an XML document that sniffing reads: the start tag of its root element.
///
/// ```swift
/// let type = MediaType("application/vnd.recordare.musicxml+xml") ?? .xml
/// let score = Format(mediaType: type, name: "MusicXML", fileExtension: "musicxml")
/// Format.defaultSniffers.append { context, inspectingContent in
///     guard inspectingContent, let root = context.contentAsXml?.documentNode else { return nil }
///     return ["score-partwise", "score-timewise"].contains(root.tag) ? score : nil
/// }
/// ```
public struct XmlDocument: Sendable, Hashable {
    /// The root element.
    public let documentNode: XmlNode

    /// Creates a document with a root element.
    public init(documentNode: XmlNode) { self.documentNode = documentNode }
}

/// The start tag of an element.
///
/// ```swift
/// func isFeed(_ root: XmlNode) -> Bool {
///     root.tag == "feed" && root.namespace == "http://www.w3.org/2005/Atom"
/// }
/// ```
public struct XmlNode: Sendable, Hashable {
    /// The local name, without a prefix, as written.
    public let tag: String
    /// The prefix before the colon; nil if there is none.
    public let prefix: String?
    /// The namespace that the tag itself declares for its prefix; nil if it declares none.
    public let namespace: String?
    /// The attributes by name as written, including prefixes. If a name is repeated, the first one counts.
    public let attributes: [String: String]

    /// Creates a start tag from its parts.
    public init(
        tag: String, prefix: String? = nil, namespace: String? = nil, attributes: [String: String] = [:]
    ) {
        self.tag = tag
        self.prefix = prefix
        self.namespace = namespace
        self.attributes = attributes
    }
}

/// The beginning of a document: its document type and its root.
///
/// ```swift
/// let xhtml = Format(mediaType: .xhtml, name: "XHTML", fileExtension: "xhtml")
/// Format.defaultSniffers.append { context, inspectingContent in
///     guard inspectingContent, let start = context.markupStart, start.hasHtmlDoctype else { return nil }
///     return start.root?.namespace == "http://www.w3.org/1999/xhtml" ? xhtml : nil
/// }
/// ```
public struct MarkupStart: Sendable, Hashable {
    /// The name in `<!DOCTYPE name`, as written; nil if there is no document type.
    public var doctype: String?
    /// Whether only a byte order mark, white space and an XML declaration precede the document type.
    public var beginsWithDoctype: Bool
    /// The root element; nil if its start tag is damaged or was not reached.
    public var root: XmlNode?

    /// Creates a beginning from its parts.
    public init(doctype: String?, beginsWithDoctype: Bool, root: XmlNode?) {
        self.doctype = doctype
        self.beginsWithDoctype = beginsWithDoctype
        self.root = root
    }

    /// Whether the document type is `html`, in any case.
    public var hasHtmlDoctype: Bool { doctype.map { HTTPToken.lowered($0) == "html" } ?? false }
}
