import Archives
import FoundationEssentials
import Markup

extension PublicationArchive {
    /// The reference of a landmark of an EPUB 3's navigation document (EPUB 3.3 section 7.4.3); nil if there is none. What is
    /// wrong with the document is nobody's concern here.
    ///
    /// - Parameter type: a term of the structural vocabulary, such as `cover`.
    func landmark(_ type: String, in page: ZipEntry) -> String? {
        let limits = Self.documentLimits
        guard page.length <= Int64(limits.bytes), let bytes = beginning(page, limit: limits.bytes) else {
            return nil
        }
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(MarkupError) in try MarkupReader(limits: limits).read(raw).root }
        }
        guard case .success(let root) = result, let list = root.firstAnywhere("nav", ofType: "landmarks")
        else {
            return nil
        }
        return list.firstAnywhere("a", ofType: type)?["href"]
    }
}

extension MarkupElement {
    /// The element itself or the first of that name below it whose `epub:type` has a word, in document order.
    fileprivate func firstAnywhere(_ name: String, ofType type: String) -> MarkupElement? {
        if self.name == name, hasType(type) { return self }
        for child in children {
            if let found = child.firstAnywhere(name, ofType: type) { return found }
        }
        return nil
    }

    private func hasType(_ type: String) -> Bool {
        attributes.contains { attribute in
            attribute.name == "type" && attribute.namespace == "http://www.idpf.org/2007/ops"
                && attribute.value.split(whereSeparator: \.isWhitespace).contains(Substring(type))
        }
    }
}
