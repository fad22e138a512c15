import BibTeX

/// The content of a block in a form that quickly finds equal blocks among many.
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

/// Pairs blocks with the same content, one to one and in order.
struct EqualBlocks {
    /// The places in the second list, by their partners' places in the first.
    private(set) var partners: [Int: Int] = [:]
    /// The places in the first list without a partner.
    private(set) var firstAlone: [Int] = []
    /// The places in the second list without a partner.
    private(set) var secondAlone: [Int] = []

    /// Pairs two lists in time proportional to their lengths, no matter how many blocks are equal.
    init(_ first: [BibTeXBlock], _ second: [BibTeXBlock]) {
        var places: [BlockMeaning: [Int]] = [:]
        // From the end, so that `popLast` takes the first of several equal blocks.
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

    /// Whether every block has a partner.
    var areSame: Bool { firstAlone.isEmpty && secondAlone.isEmpty }
}
