import OverlayHost
import Platform

/// What a client has been told of a booklist, by marks: what changed since one of them. One thread at a time.
struct BooklistChangeLog {
    private struct Entry {
        var book: Book
        /// The listing that first had the book as it is now.
        var listing: Int
    }

    /// What there is to tell.
    struct Answer {
        /// Stands for this listing.
        var mark: String
        /// Whether `books` are all.
        var isComplete: Bool
        var books: [Book]
        var removed: [String]
    }

    /// Paths of removed books that are remembered; a mark that needs older ones is answered with everything.
    private static let mostRemoved = 10_000

    /// Tells the marks of this ledger from all others.
    private let name: String
    /// Counts the listings that differed from the one before.
    private var listing = 0
    /// In the order of the last listing.
    private var entries: [Entry] = []
    private var removed: [(path: String, listing: Int)] = []
    /// The oldest listing that `removed` reaches back to.
    private var oldest = 0
    /// Whether the booklist may have changed since, through this program.
    private(set) var isStale = true

    /// An empty ledger. No two may have the same name, also in different processes.
    init(name: String) { self.name = name }

    /// Notes that the booklist may have changed.
    mutating func forget() { isStale = true }

    /// Takes a new listing.
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

    /// What changed since a mark; everything if the mark is nil or unknown.
    func answer(since mark: String?) -> Answer {
        let now = "\(name).\(listing)"
        guard let since = mark.flatMap(number), since >= oldest else {
            return Answer(mark: now, isComplete: true, books: entries.map(\.book), removed: [])
        }
        let present = Set(entries.map { ExactText($0.book.path ?? "") })
        var told: Set<ExactText> = []
        let gone = removed.filter { $0.listing > since }.map(\.path).filter { path in
            // A book that came back is there, and one that went twice is gone once.
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
