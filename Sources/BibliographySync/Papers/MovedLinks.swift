import BibTeX
import BibTeXMerging

/// Links that one side moved to another path, as after renaming a paper. If the other side changed the paper at the
/// former path, no entry would link to these changes any more.
struct MovedLinks {
    /// One link of an entry.
    struct Move {
        /// The side that moved the link.
        let side: MergeSide
        /// The library of the entry.
        let library: String
        /// The path to which the entry links now.
        let path: String
    }

    /// The moves by the former paths.
    private(set) var moves: [String: [Move]] = [:]

    private let links: PaperLinks
    private let mapping: any PaperMapping

    /// Finds the moved links of all libraries that changed since the last run.
    ///
    /// - Parameter unlinked: the former paths, to which no entry links any more.
    /// - Parameter libraries: the libraries.
    /// - Parameter links: the linked papers.
    /// - Parameter mapping: maps links to papers.
    /// - Parameter fallback: the encoding of a host file that does not name its encoding.
    init(
        of unlinked: Set<String>, _ libraries: [LibraryWork], _ links: PaperLinks,
        _ mapping: any PaperMapping, fallback: BibTeXEncoding?
    ) {
        self.links = links
        self.mapping = mapping
        guard !unlinked.isEmpty else { return }
        for work in libraries where work.outcome != nil {
            guard let base = work.agreed else { continue }
            let former = base.entryIndexes.filter { !unlinked.isDisjoint(with: paths(base.blocks[$0])) }
            guard !former.isEmpty else { continue }
            if let host = work.host {
                let document = BibTeXDocument(host.bytes, fallback: fallback ?? work.record.encoding)
                note(.host, work.record.name, former, of: base, in: document, unlinked)
            }
            if let device = work.device, !work.isRepair {
                let document = BibTeXDocument(device.bytes)
                note(.device, work.record.name, former, of: base, in: document, unlinked)
            }
        }
    }

    private mutating func note(
        _ side: MergeSide, _ library: String, _ former: [Int], of base: BibTeXDocument,
        in document: BibTeXDocument, _ unlinked: Set<String>
    ) {
        let versions = EntryPairs.versions(of: base, in: document)
        for index in former {
            guard let place = versions[index] else { continue }
            let (old, new) = (base.blocks[index], document.blocks[place])
            guard !new.isOpaque, !new.isOtherWork(than: old) else { continue }
            let (before, after) = (paths(old), paths(new))
            // The merge may have taken the other side's links.
            let target = after.first { path in
                !before.contains(path) && links.papers[path]?.libraries.contains(library) ?? false
            }
            guard let target else { continue }
            for path in before where unlinked.contains(path) && !after.contains(path) {
                moves[path, default: []].append(Move(side: side, library: library, path: target))
            }
        }
    }

    private func paths(_ block: BibTeXBlock) -> [String] { block.linkedPaths.map(mapping.path(of:)) }
}
