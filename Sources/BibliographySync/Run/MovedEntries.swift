import BibTeX
import BibTeXMerging

/// Finds entries of a library that moved to another library in the folder. If the file was renamed, these are all its
/// entries.
struct MovedEntries {
    private let library: LibraryWork
    private let others: [(name: String, entries: Set<[UInt8]>)]

    /// - Parameters:
    ///   - library: the library that lost entries.
    ///   - libraries: all libraries of the run.
    init(_ library: LibraryWork, in libraries: [LibraryWork]) {
        self.library = library
        others = libraries.compactMap { other in
            guard other.name != library.name, other.host != nil, let outcome = other.outcome else {
                return nil
            }
            return (other.name, Set(Self.entries(outcome.host)))
        }
    }

    /// How many of the lost entries are in none of the folder's other libraries.
    var lost: Int {
        let isWhole = if case .removedFromDevice = library.fate { true } else { false }
        let gone =
            isWhole
            ? library.agreed.map(Self.entries)
            : library.outcome?.report.tombstones.filter { $0.kind == .entry }.map { Self.trimmed($0.text) }
        let kept = others.reduce(into: Set<[UInt8]>()) { $0.formUnion($1.entries) }
        return (gone ?? []).count { !kept.contains($0) }
    }

    /// The new name of a library that is no longer in the folder; nil if none of the other libraries has all its
    /// entries.
    var newName: String? {
        guard library.host == nil, let agreed = library.agreed.map(Self.entries), !agreed.isEmpty else {
            return nil
        }
        return others.first { other in agreed.allSatisfy(other.entries.contains) }?.name
    }

    /// The entries as the file contains them, from the `@` on.
    private static func entries(_ document: BibTeXDocument) -> [[UInt8]] {
        document.entryIndexes.map { trimmed(document.blocks[$0].body) }
    }

    private static func trimmed(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var bytes = Array(bytes)
        while let last = bytes.last, last == 0x20 || (0x09...0x0D).contains(last) { bytes.removeLast() }
        return bytes
    }
}
