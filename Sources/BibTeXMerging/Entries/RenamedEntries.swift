import BibTeX

/// Finds entries whose keys were changed between the base and one side.
///
/// An entry that vanished and one that appeared match if exactly these two agree in something that tells works apart: a
/// strong name, the whole content, or a title or the people with the year, if nearly all fields agree as well.
struct RenamedEntries {
    /// The block indexes of the entries on the side, by those in the base.
    private(set) var pairs: [Int: Int] = [:]

    /// What two versions of one entry may have in common.
    private enum Mark: Hashable {
        case name(String)
        case title(String)
        case people(String)
        case content(EntryContent)

        /// Whether the mark does not tell entries apart if several entries of a library have it.
        var isForOneEntry: Bool {
            switch self {
            case .name, .people: true
            case .title, .content: false
            }
        }

        /// Whether the entries that have it are the same only if nearly all of their fields agree.
        var isWeak: Bool {
            switch self {
            case .name, .content: false
            case .title, .people: true
            }
        }
    }

    /// Compares the entries that vanished with those that appeared.
    ///
    /// - Parameters:
    ///   - gone: the block indexes of the entries whose keys only the base has.
    ///   - new: the block indexes of the entries whose keys only the side has.
    init(_ base: BibTeXDocument, gone: [Int], _ side: BibTeXDocument, new: [Int]) {
        guard !gone.isEmpty, !new.isEmpty else { return }
        let oldContents = gone.map { EntryContent(base.blocks[$0]) }
        let newContents = new.map { EntryContent(side.blocks[$0]) }
        let oldMarks = oldContents.map(Self.marks)
        // Only entries with a common mark are compared, so that the time is not quadratic in the number of new entries.
        var byMark: [Mark: [Int]] = [:]
        for (place, content) in newContents.enumerated() {
            for mark in Self.marks(content) { byMark[mark, default: []].append(place) }
        }
        let common = oldMarks.reduce(into: Set<Mark>()) { $0.formUnion($1) }.intersection(byMark.keys)
        // The chapters of a book share its ISBN and perhaps its file, so such a name does not tell them apart.
        let shared = Self.shared(common, base).union(Self.shared(common, side))
        var candidates: [Int: Set<Int>] = [:]
        var claims: [Int: Int] = [:]
        for (place, content) in oldContents.enumerated() {
            for mark in oldMarks[place] where common.contains(mark) && !shared.contains(mark) {
                for other in (byMark[mark] ?? []).prefix(8) {
                    let agree = !mark.isWeak || content.resembles(newContents[other])
                    if agree, candidates[place, default: []].insert(other).inserted {
                        claims[other, default: 0] += 1
                    }
                }
            }
        }
        for (place, others) in candidates where others.count == 1 {
            guard let other = others.first, claims[other] == 1 else { continue }
            pairs[gone[place]] = new[other]
        }
    }

    private static func marks(_ content: EntryContent) -> Set<Mark> {
        var marks = Set(content.strongNames.map(Mark.name))
        if let title = content.fields["title"]?.plainText { marks.insert(.title(title)) }
        if let people = content.peopleAndYear { marks.insert(.people(people)) }
        if !content.isEmpty { marks.insert(.content(content.withoutDates)) }
        return marks
    }

    /// The marks that several entries of a library share, of those that only one entry may have.
    private static func shared(_ marks: Set<Mark>, _ library: BibTeXDocument) -> Set<Mark> {
        guard marks.contains(where: \.isForOneEntry) else { return [] }
        var (seen, shared): (Set<Mark>, Set<Mark>) = ([], [])
        for index in library.entryIndexes where !library.blocks[index].isOpaque {
            for mark in Self.marks(EntryContent(library.blocks[index]))
            where mark.isForOneEntry && marks.contains(mark) && !seen.insert(mark).inserted {
                shared.insert(mark)
            }
        }
        return shared
    }
}
