extension BuiltInSniffer {
    /// HTML and XHTML: a root element `html` in any case, or a document type `html`.
    static let html = BuiltInSniffer(
        "html", .html, extensions: ["htm", "html", "xht", "xhtml"], mediaTypes: [.html, .xhtml]
    ) { context in
        guard let start = context.markupStart else { return nil }
        if start.hasHtmlDoctype, start.beginsWithDoctype || start.root == nil { return "document type html" }
        return start.root.map { HTTPToken.lowered($0.tag) } == "html" ? "root element html" : nil
    }
}

extension BuiltInSniffer {
    /// An Atom feed. A hint for an entry, whose type the feed's type contains, excludes it.
    static let opds1Feed = BuiltInSniffer("opds1Feed", .opds1Feed, mediaTypes: [.opds1], except: .opds1Entry)
    { context in
        context.isAtom(root: "feed") ? "root element feed" : nil
    }
}

extension BuiltInSniffer {
    /// An Atom entry.
    static let opds1Entry = BuiltInSniffer("opds1Entry", .opds1Entry, mediaTypes: [.opds1Entry]) { context in
        context.isAtom(root: "entry") ? "root element entry" : nil
    }
}

extension Format.SnifferContext {
    /// Whether the content is XML with this root element in the Atom namespace or in none.
    func isAtom(root: String) -> Bool {
        guard let node = contentAsXml?.documentNode, node.tag.utf8.elementsEqual(root.utf8) else {
            return false
        }
        return node.namespace == nil || node.namespace == "http://www.w3.org/2005/Atom"
    }
}
