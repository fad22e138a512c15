import OverlayHost
import Platform

/// Records what a client has been told about a booklist, and finds what has changed since one of its marks. Use from
/// one thread at a time.
struct BooklistChangeLog {
    private struct Entry {
        var book: Book
        /// The listing in which the book first had its current state.
        var listing: Int
    }

    /// The answer for a client.
    struct Answer {
        /// Identifies this listing.
        var mark: String
        /// Whether `books` is the complete list.
        var isComplete: Bool
        var books: [Book]
        var removed: [String]
    }

    /// The most paths of removed books that are remembered; if a mark needs older ones, the answer is the complete
    /// list.
    private static let mostRemoved = 10_000

    /// Distinguishes the marks of this change log from all others.
    private let name: String
    /// The number of listings that differed from the one before.
    private var listing = 0
    /// The books in the order of the last listing.
    private var entries: [Entry] = []
    private var removed: [(path: String, listing: Int)] = []
    /// The oldest listing whose removals are in `removed`.
    private var oldest = 0
    /// Whether this program may have changed the booklist since.
    private(set) var isStale = true

    /// Creates an empty change log. Names must be unique, even between processes.
    init(name: String) { self.name = name }

    /// Records that the booklist may have changed.
    mutating func forget() { isStale = true }

    /// Records a new listing.
    mutating func take(_ books: some Sequence<Book>) {
        var known: [ExactText: Entry] = [:]
        for entry in entries { known[ExactText(entry.book.path ?? "")] = entry }
        var (fresh, hasChanged): ([Entry], Bool) = ([], false)
        let number = listing + 1
        for var book in books {
            book.coverData = nil
            let before = known.removeValue(forKey: ExactText(book.path ?? ""))
            if let before, before.book == book {
                fresh.append(before)
            } else {
                hasChanged = true
                fresh.append(Entry(book: book, listing: number))
            }
        }
        let gone = entries.filter { known[ExactText($0.book.path ?? "")] != nil }
        removed += gone.map { ($0.book.path ?? "", number) }
        if removed.count > Self.mostRemoved {
            oldest = removed[removed.count - Self.mostRemoved - 1].listing
            removed.removeFirst(removed.count - Self.mostRemoved)
        }
        if hasChanged || !gone.isEmpty { listing = number }
        entries = fresh
        isStale = false
    }

    /// The changes since a mark; the complete list if the mark is nil or unknown.
    func answer(since mark: String?) -> Answer {
        let now = "\(name).\(listing)"
        guard let since = mark.flatMap(number), since >= oldest else {
            return Answer(mark: now, isComplete: true, books: entries.map(\.book), removed: [])
        }
        let present = Set(entries.map { ExactText($0.book.path ?? "") })
        var told: Set<ExactText> = []
        let gone = removed.filter { $0.listing > since }.map(\.path).filter { path in
            // A removed book that came back exists, and one that was removed twice is reported once.
            !present.contains(ExactText(path)) && told.insert(ExactText(path)).inserted
        }
        return Answer(
            mark: now, isComplete: false, books: entries.filter { $0.listing > since }.map(\.book),
            removed: gone)
    }

    private func number(_ mark: String) -> Int? {
        let parts = mark.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == name, let number = Int(parts[1]), number <= listing, number >= 0
        else { return nil }
        return number
    }
}
