import OverlayKit

/// Puts covers that arrive in any order into the order of the books, and hands each on as soon as all before it are there.
struct CoverQueue {
    private enum Slot {
        case open
        case ready(CoverThumbnail?)
    }

    private let first: Int
    private var slots: [Slot]
    private var next = 0

    /// - Parameter part: the books, by their places in the listing.
    init(_ part: Range<Int>) {
        first = part.lowerBound
        slots = Array(repeating: .open, count: part.count)
    }

    /// Notes the cover of a book, nil for none, and hands on what is due.
    mutating func set(
        _ index: Int, _ cover: CoverThumbnail?, each: (Int, CoverThumbnail?) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        slots[index - first] = .ready(cover)
        while next < slots.count, case .ready(let cover) = slots[next] {
            // Its memory goes with it.
            slots[next] = .open
            next += 1
            try each(first + next - 1, cover)
        }
    }
}
