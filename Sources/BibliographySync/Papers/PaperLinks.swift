import BibTeX

/// A paper that entries link to.
struct LinkedPaper {
    /// Its path in the host's folder, composed and without `..`.
    let path: String
    /// How much it is wanted on the device; nil: not at all.
    var priority: PaperPriority?
    /// The libraries that link to it.
    var libraries: Set<String> = []
}

/// The papers to which libraries link, and the links that lead out of the folder.
struct PaperLinks {
    /// The papers by their paths.
    private(set) var papers: [String: LinkedPaper] = [:]
    /// Links that no path in the folder can follow: the library, the cite key and the link.
    private(set) var outside: [(library: String, key: String, path: String)] = []

    /// Notes the links of both sides of a library.
    mutating func add(_ library: String, _ outcome: LibraryWork.Outcome, _ mapping: any PaperMapping) {
        let wanted = mapping.wanted(outcome.agreed, library)
        for index in outcome.agreed.entryIndexes {
            let block = outcome.agreed.blocks[index]
            for link in block.linkedFiles {
                guard let path = link.normalizedPath else { continue }
                guard LinkedPath.isContained(path) else {
                    outside.append((library, block.key ?? "", path))
                    continue
                }
                var paper = papers[path] ?? LinkedPaper(path: path)
                paper.libraries.insert(library)
                if let priority = wanted[index] {
                    paper.priority = paper.priority.map { min($0, priority) } ?? priority
                }
                papers[path] = paper
            }
        }
    }

    /// Links every entry of a library that links to one paper to another one as well, behind it.
    static func link(_ other: String, beside path: String, in document: inout BibTeXDocument) {
        let style = document.fieldNameStyle
        for index in document.entryIndexes {
            let block = document.blocks[index]
            var links = block.linkedFiles
            guard !block.isOpaque, let place = links.firstIndex(where: { $0.normalizedPath == path }),
                !links.contains(where: { $0.normalizedPath == other })
            else { continue }
            links.insert(FileLink(path: other), at: place + 1)
            document.change(index) { BibTeXDocument.setting(links, of: $0, named: style.written) }
        }
    }
}
