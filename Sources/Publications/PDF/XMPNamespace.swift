/// Namespaces of metadata packets; a name here is the namespace and the local name in one text.
enum XMPNamespace {
    static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    static let xml = "http://www.w3.org/XML/1998/namespace"
    static let dc = "http://purl.org/dc/elements/1.1/"
    static let pdf = "http://ns.adobe.com/pdf/1.3/"
    static let pdfx = "http://ns.adobe.com/pdfx/1.3/"
    static let xmp = "http://ns.adobe.com/xap/1.0/"
    static let identifierQualifier = "http://ns.adobe.com/xmp/Identifier/qual/1.0/"
    static let rights = "http://ns.adobe.com/xap/1.0/rights/"
    /// Followed by a version and a slash.
    static let prism = "http://prismstandard.org/namespaces/basic/"
    static let calibre = "http://calibre-ebook.com/xmp-namespace"
    static let calibreSeries = "http://calibre-ebook.com/xmp-namespace-series-index"
}
