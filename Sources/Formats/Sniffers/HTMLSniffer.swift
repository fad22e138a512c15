extension BuiltInSniffer {
    /// HTML and XHTML: a root `html` in any case, or a document type `html` (format reference 6.1).
    static let html = BuiltInSniffer(
        "html", .html, extensions: ["htm", "html", "xht", "xhtml"], mediaTypes: [.html, .xhtml]
    ) { context in
        guard let start = context.markupStart else { return nil }
        if start.hasHtmlDoctype, start.beginsWithDoctype || start.root == nil { return "document type html" }
        return start.root.map { HTTPToken.lowered($0.tag) } == "html" ? "root element html" : nil
    }
}
