import BibTeX

/// What a block says, in a form that finds its equals among many blocks at once.
enum BlockMeaning: Hashable {
    /// An entry that could be read.
    case entry(key: String?, EntryContent)
    /// The text of any other block.
    case text(String)

    init(_ block: BibTeXBlock) {
        if block.isOpaque || block.kind != .entry {
            self = .text(block.bodyText)
        } else {
            self = .entry(key: block.key, EntryContent(block))
        }
    }
}

/// Blocks that say the same, one to one and in order.
struct EqualBlocks {
    /// The place in the second list for places of the first.
    private(set) var partners: [Int: Int] = [:]
    /// Places of the first list without a partner.
    private(set) var firstAlone: [Int] = []
    /// Places of the second list without a partner.
    private(set) var secondAlone: [Int] = []

    /// Pairs two lists. The time grows with their lengths, however many of them are equal.
    init(_ first: [BibTeXBlock], _ second: [BibTeXBlock]) {
        var places: [BlockMeaning: [Int]] = [:]
        // From the end, so that the first of several equals is the next to be taken.
        for place in second.indices.reversed() {
            places[BlockMeaning(second[place]), default: []].append(place)
        }
        var taken: Set<Int> = []
        for place in first.indices {
            if let partner = places[BlockMeaning(first[place])]?.popLast() {
                partners[place] = partner
                taken.insert(partner)
            } else {
                firstAlone.append(place)
            }
        }
        secondAlone = second.indices.filter { !taken.contains($0) }
    }

    /// Whether each has a partner.
    var areSame: Bool { firstAlone.isEmpty && secondAlone.isEmpty }
}
