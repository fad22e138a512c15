extension Format.SnifferContext {
    /// Whether the content is XML with this root in Atom's namespace or in none (format reference 6.2).
    func isAtom(root: String) -> Bool {
        guard let node = contentAsXml?.documentNode, node.tag.utf8.elementsEqual(root.utf8) else {
            return false
        }
        return node.namespace == nil || node.namespace == "http://www.w3.org/2005/Atom"
    }
}
