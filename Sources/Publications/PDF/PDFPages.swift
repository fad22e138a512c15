/// The pages of a PDF file in their order (ISO 32000-1, 7.7.3). A damaged tree is walked as far as it can be; none is walked twice.
struct PDFPages {
    private let file: PDFFile
    /// What is still to be visited with the values that it inherits, the next one last.
    private var open: [(object: PDFObject, inherited: [String: PDFObject])]
    private var seen: Set<PDFReference> = []

    init(of file: PDFFile) {
        self.file = file
        open = []
        if let root = file.trailer["Root"] { open = [(root, [:])] }
    }

    /// Values of a page that it has from the nodes above it unless it has its own.
    private static let inheritable = ["MediaBox", "Rotate"]

    /// The dictionary of the next page with what it inherits; nil after the last one.
    ///
    /// - Throws: what keeps the page from being read, after which the next call continues behind it, and `.limit` for a tree that has
    ///   too many.
    mutating func next(_ budget: inout PDFAnnotationBudget) throws(PDFFault) -> [String: PDFObject]? {
        while let (object, inherited) = open.popLast() {
            guard let node = try file.resolve(object).dictionary else { continue }
            // The catalogue leads to the tree.
            if seen.isEmpty {
                try visit([node["Pages"] ?? .null], [:], &budget)
                continue
            }
            guard let children = try file.resolve(node["Kids"]).array else {
                return node.merging(inherited) { own, _ in own }
            }
            let own = node.filter { Self.inheritable.contains($0.key) }
            try visit(children, inherited.merging(own) { _, own in own }, &budget)
        }
        return nil
    }

    /// Notes what is to be visited next. Only references can be told apart, and only they can be pages.
    private mutating func visit(
        _ children: [PDFObject], _ inherited: [String: PDFObject], _ budget: inout PDFAnnotationBudget
    ) throws(PDFFault) {
        try budget.takeEntries(children.count)
        for child in children.reversed() {
            guard case .reference(let reference) = child, seen.insert(reference).inserted else { continue }
            open.append((child, inherited))
        }
    }
}
