import BibTeX

/// Finds entries whose keys were changed between the base and one side.
///
/// A removed entry and a new entry match if they share a mark that no other candidate shares, and if the mark shows
/// that they are the same work. A wrong match loses an entry, and a missing match only keeps both. In doubt there is
/// no match.
struct RenamedEntries {
    /// The block indexes of the entries on the side, by those in the base.
    private(set) var pairs: [Int: Int] = [:]

    /// A property that two versions of an entry may share.
    private enum Mark: Hashable {
        case name(String)
        case title(String)
        case people(String)
        case content(EntryContent)

        /// Whether the mark is ignored if several entries of a library have it.
        var isForOneEntry: Bool {
            switch self {
            case .name, .people: true
            case .title, .content: false
            }
        }

        /// Whether the mark counts only if the other fields of the entries also agree.
        var isWeak: Bool {
            switch self {
            case .name, .content: false
            case .title, .people: true
            }
        }

        /// Whether two entries with this mark are the same work.
        func isOfOneWork(_ old: EntryContent, _ new: EntryContent) -> Bool {
            switch self {
            case .content: true
            // Chapters of a book may have its ISBN and its file.
            case .name(let name):
                name.hasPrefix("doi:") || !old.differs("title", from: new)
                    || !old.differsInNumbers(from: new)
            // Several editorials or yearly reports may have the same title.
            case .title:
                old.resembles(new) && !old.differsInNumbers(from: new) && !old.differsInEdition(from: new)
                    && !old.differsInLinks(from: new)
            // If the titles differ, any field may distinguish the two works.
            case .people:
                old.resembles(new) && !old.differsInAnyField(from: new) && !old.differsInLinks(from: new)
            }
        }
    }

    /// The most new entries with a common mark with which an entry is compared, so that the time is not quadratic.
    private static let mostCompared = 8

    /// Compares the removed entries with the new ones.
    ///
    /// - Parameters:
    ///   - gone: the block indexes of the entries whose keys only the base has.
    ///   - new: the block indexes of the entries whose keys only the side has.
    init(_ base: BibTeXDocument, gone: [Int], _ side: BibTeXDocument, new: [Int]) {
        guard !gone.isEmpty, !new.isEmpty else { return }
        let oldContents = gone.map { EntryContent(base.blocks[$0]) }
        let newContents = new.map { EntryContent(side.blocks[$0]) }
        let oldMarks = oldContents.map(Self.marks)
        var byMark: [Mark: [Int]] = [:]
        for (place, content) in newContents.enumerated() {
            for mark in Self.marks(content) { byMark[mark, default: []].append(place) }
        }
        let common = oldMarks.reduce(into: Set<Mark>()) { $0.formUnion($1) }.intersection(byMark.keys)
        // The chapters of a book share its ISBN and perhaps its file, so such a name does not distinguish them.
        let shared = Self.shared(common, base).union(Self.shared(common, side))
        // If too many entries have the same title, such as "Editorial", only a strong name identifies them.
        let crowded = byMark.filter { $0.key.isWeak && $0.value.count > Self.mostCompared }
        let crowdedNew = Set(crowded.values.joined())
        var candidates: [Int: Set<Int>] = [:]
        var claims: [Int: Int] = [:]
        for (place, content) in oldContents.enumerated() {
            let isCrowded = oldMarks[place].contains { crowded[$0] != nil }
            for mark in oldMarks[place] where common.contains(mark) && !shared.contains(mark) {
                if mark.isWeak, isCrowded { continue }
                // More entries than this can share only the mark for equal content. Such entries are not matched even
                // if there are only two.
                for other in (byMark[mark] ?? []).prefix(Self.mostCompared) {
                    if mark.isWeak, crowdedNew.contains(other) { continue }
                    if mark.isOfOneWork(content, newContents[other]),
                        candidates[place, default: []].insert(other).inserted
                    {
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
        var marks = marksForOneEntry(content)
        if let title = content.fields["title"]?.plainText { marks.insert(.title(title)) }
        if !content.isEmpty { marks.insert(.content(content.withoutDates)) }
        return marks
    }

    private static func marksForOneEntry(_ content: EntryContent) -> Set<Mark> {
        var marks = Set(content.strongNames.map(Mark.name))
        if let people = content.peopleAndYear { marks.insert(.people(people)) }
        return marks
    }

    /// The marks that several entries of a library share although only one entry may have them.
    private static func shared(_ marks: Set<Mark>, _ library: BibTeXDocument) -> Set<Mark> {
        guard marks.contains(where: \.isForOneEntry) else { return [] }
        var (seen, shared): (Set<Mark>, Set<Mark>) = ([], [])
        for index in library.entryIndexes where !library.blocks[index].isOpaque {
            let content = EntryContent(library.blocks[index], only: EntryContent.naming)
            for mark in marksForOneEntry(content).intersection(marks) where !seen.insert(mark).inserted {
                shared.insert(mark)
            }
        }
        return shared
    }
}
