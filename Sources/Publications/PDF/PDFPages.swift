/// The pages of a PDF file in their order (ISO 32000-1, 7.7.3). A damaged tree is walked as far as it can be; none is walked twice.
struct PDFPages {
    private let file: PDFFile
    /// What is still to be visited, the next one last.
    private var open: [PDFObject]
    private var seen: Set<PDFReference> = []

    /// Inner nodes and pages of one file.
    private static let most = 100_000

    init(of file: PDFFile) {
        self.file = file
        open = []
        if let root = file.trailer["Root"] { open = [root] }
    }

    /// The dictionary of the next page; nil after the last one.
    ///
    /// - Throws: what keeps the page from being read, and `.limit` for a tree that has too many.
    mutating func next() throws(PDFFault) -> [String: PDFObject]? {
        while let object = open.popLast() {
            guard let node = try file.resolve(object).dictionary else { continue }
            // The catalogue leads to the tree.
            if seen.isEmpty {
                try visit([node["Pages"] ?? .null])
                continue
            }
            guard let children = try file.resolve(node["Kids"]).array else { return node }
            try visit(children)
        }
        return nil
    }

    /// Notes what is to be visited next. Only references can be told apart, and only they can be pages.
    private mutating func visit(_ children: [PDFObject]) throws(PDFFault) {
        for child in children.reversed() {
            guard case .reference(let reference) = child, seen.insert(reference).inserted else { continue }
            guard seen.count <= Self.most else { throw .limit("It has more than \(Self.most) pages.") }
            open.append(child)
        }
    }
}
