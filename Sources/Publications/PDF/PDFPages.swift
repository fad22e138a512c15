/// Iterates over the pages of a PDF file in order (ISO 32000-1, 7.7.3). It reads a damaged tree as far as possible
/// and visits each node once.
struct PDFPages {
    private let file: PDFFile
    /// The nodes that are still to be visited, with the values they inherit. The next one is last.
    private var open: [(object: PDFObject, inherited: [String: PDFObject])]
    private var seen: Set<PDFReference> = []

    init(of file: PDFFile) {
        self.file = file
        open = []
        if let root = file.trailer["Root"] { open = [(root, [:])] }
    }

    /// The keys of values that a page inherits from the nodes above it unless it has its own.
    private static let inheritable = ["MediaBox", "Rotate"]

    /// The dictionary of the next page, including inherited values; nil after the last page.
    ///
    /// - Throws: the error of a page that cannot be read, after which the next call continues with the following
    ///   page; `.limit` for a tree with too many nodes.
    mutating func next(_ budget: inout PDFAnnotationBudget) throws(PDFFault) -> [String: PDFObject]? {
        while let (object, inherited) = open.popLast() {
            guard let node = try file.resolve(object).dictionary else { continue }
            // The catalogue refers to the root of the tree.
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

    /// Adds nodes to visit next. Only references count: a page must be one, and repeated nodes are recognized by
    /// them.
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
