import BibTeX
import Platform

/// A paper that entries link to.
struct PaperOfFolder {
    /// Its path in the host's folder, composed and without `..`.
    let path: String
    /// Why it is wanted on the device; nil if it is not.
    var priority: PaperPriority?
    /// The libraries that link to it.
    var libraries: Set<String> = []
}

/// The papers to which libraries link, and the links that are not followed.
struct PaperLinks {
    /// The papers by their paths.
    private(set) var papers: [String: PaperOfFolder] = [:]
    /// Links that are not followed: the library, the cite key, the link, and its target.
    private(set) var outside: [(library: String, key: String, path: String, target: String)] = []
    /// Entries with a link that only a Mac can follow, because it has no path: the library and the cite key.
    private(set) var withoutPath: [(library: String, key: String)] = []

    /// Adds the links on both sides of a library. Only an entry that the device has with the link requires a paper,
    /// because the agreed document may still contain entries and links that the device deleted.
    mutating func add(_ library: String, _ outcome: LibraryWork.Outcome, _ mapping: any PaperMapping) {
        let wanted = mapping.wanted(outcome.agreed, library)
        let onDevice = Self.linkedOnDevice(outcome)
        for index in outcome.agreed.entryIndexes {
            let block = outcome.agreed.blocks[index]
            if block.linkedFiles.contains(where: { $0.normalizedPath == nil }) {
                withoutPath.append((library, block.key ?? ""))
            }
            for link in block.linkedPaths {
                let path = mapping.path(of: link)
                if let target = PaperPath.unfollowed(path) {
                    outside.append((library, block.key ?? "", link, target))
                    continue
                }
                var paper = papers[path] ?? PaperOfFolder(path: path)
                paper.libraries.insert(library)
                let isThere = onDevice.map { $0[block.key ?? ""]?.contains(link) ?? false } ?? true
                if isThere, let priority = wanted[index] {
                    paper.priority = paper.priority.map { min($0, priority) } ?? priority
                }
                papers[path] = paper
            }
        }
    }

    /// The links of the device's entries, by cite key; nil if they are those of the agreed document.
    private static func linkedOnDevice(_ outcome: LibraryWork.Outcome) -> [String: Set<String>]? {
        guard outcome.device.bytes != outcome.agreed.bytes else { return nil }
        var links: [String: Set<String>] = [:]
        for index in outcome.device.entryIndexes {
            let block = outcome.device.blocks[index]
            links[block.key ?? "", default: []].formUnion(block.linkedPaths)
        }
        return links
    }
}

/// Decides which links a sync follows.
public enum PaperPath {
    /// Whether a path may be that of a paper: it stays in the folder and does not lead to a hidden file or a
    /// bibliography. A library from the device must not reach other files.
    ///
    /// File systems may treat compatible letters as equal, so names are checked with these letters replaced.
    ///
    /// - Parameter path: the normalized path, relative to the folder.
    public static func isFollowed(_ path: String) -> Bool { unfollowed(path) == nil }

    /// Where a path leads that is not followed, such as `out of the folder`; nil if it may be that of a paper.
    static func unfollowed(_ path: String) -> String? {
        let path = TextFolding.compatible(path)
        if !LinkedPath.isContained(path) { return "out of the folder" }
        if path.pathName.nameEnding.lowercased() == "bib" { return "to a bibliography" }
        return path.pathNames.contains { $0.utf8.first == UInt8(ascii: ".") } ? "to a hidden file" : nil
    }
}
