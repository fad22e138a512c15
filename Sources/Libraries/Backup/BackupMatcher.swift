import BookModel
import Platform

/// Finds the entries of the books that a device lists.
///
/// What identifies a file exactly takes precedence over its path: first the books whose file is unchanged at its path,
/// then files that moved, and last the files that changed at their path. A changed file takes the place of the former
/// one only if it surely is the same book, because the backup may have the only copy of the former one.
struct BackupMatcher {
    private let entries: [BackupEntry]
    /// The indexes of entries by path: first the entry of the current book, then those of earlier books, newest
    /// first.
    private var byPath: [ExactText: [Int]] = [:]
    /// The indexes of entries whose books are not unchanged at their paths. In most runs there are few.
    private var byContent: [String: [Int]] = [:]
    private var byUUID: [String: [Int]] = [:]
    /// The indexes of entries that neither their unchanged files, nor contents or uuids, have found a book for.
    private var byFile: [FileMark: [Int]] = [:]
    /// The indexes of the entries of listed books.
    private(set) var claimed: Set<Int> = []

    /// The size and date of a file.
    private struct FileMark: Hashable {
        var size: UInt64
        var date: Int64

        /// Nil if one of them is unknown.
        init?(_ size: UInt64?, _ date: Int64?) {
            guard let size, let date else { return nil }
            (self.size, self.date) = (size, date)
        }
    }

    init(_ entries: [BackupEntry]) {
        self.entries = entries
        for (place, entry) in entries.enumerated() {
            byPath[ExactText(entry.path), default: []].append(place)
        }
        for (path, places) in byPath where places.count > 1 {
            byPath[path] = places.sorted { one, other in
                (entries[one].goneSince ?? .max, one) > (entries[other].goneSince ?? .max, other)
            }
        }
    }

    /// The index of each book's entry; nil for a new book. Call once.
    mutating func places(of books: some RandomAccessCollection<Book>) -> [Int?] {
        var places = books.map { unchanged($0) }
        guard places.contains(nil) else { return places }
        for (place, entry) in entries.enumerated() where !claimed.contains(place) {
            if let content = entry.contentID { byContent[content, default: []].append(place) }
            if let uuid = Self.uuid(entry.uuid) { byUUID[uuid, default: []].append(place) }
        }
        fill(&places, books) { $0.movedContent($1) }
        fill(&places, books) { $0.movedUUID($1) }
        for (place, entry) in entries.enumerated() where !claimed.contains(place) {
            if let mark = FileMark(entry.size, entry.dateAdded) { byFile[mark, default: []].append(place) }
        }
        fill(&places, books) { $0.movedFile($1) }
        fill(&places, books) { $0.changed($1) }
        return places
    }

    /// Looks for the entries of the books that have none yet.
    private mutating func fill(
        _ places: inout [Int?], _ books: some RandomAccessCollection<Book>,
        _ find: (inout BackupMatcher, Book) -> Int?
    ) {
        for place in places.indices where places[place] == nil {
            places[place] = find(&self, books[books.index(books.startIndex, offsetBy: place)])
        }
    }

    // MARK: the ways to find an entry

    /// The entry of a book whose file is unchanged at its path.
    private mutating func unchanged(_ book: Book) -> Int? {
        claim(
            atPath(book).first { place in
                let entry = entries[place]
                if let content = entry.contentID, content == book.contentID { return true }
                return Self.haveSameUUID(entry, book) != false && Self.isSameFile(entry, book)
            })
    }

    private mutating func movedContent(_ book: Book) -> Int? {
        guard let content = book.contentID else { return nil }
        return moved(byContent[content]) { _ in true }
    }

    private mutating func movedUUID(_ book: Book) -> Int? {
        guard let uuid = Self.uuid(book.uuid) else { return nil }
        return moved(byUUID[uuid]) { entry in
            entry.size != nil && entry.size == book.size && Self.isSameFile(entry, book)
                && !BookSimilarity.areOthers(Book(title: entry.title, authors: entry.authors), book)
        }
    }

    /// The entry of a book that was at another path with the same size, date, title and authors.
    private mutating func movedFile(_ book: Book) -> Int? {
        guard let mark = FileMark(book.size, book.dateAdded), book.title?.isEmpty == false else { return nil }
        return moved(byFile[mark]) { entry in
            Self.haveSameUUID(entry, book) != false && Self.isSameFile(entry, book)
                && Self.haveSameTitle(entry, book)
                && BookSimilarity.compared(entry.authors) == BookSimilarity.compared(book.authors)
        }
    }

    /// The entry of a book whose file changed at its path.
    private mutating func changed(_ book: Book) -> Int? {
        claim(atPath(book).first { Self.isSameBook(entries[$0], book) })
    }

    private func atPath(_ book: Book) -> [Int] {
        (byPath[ExactText(book.path ?? "")] ?? []).filter { !claimed.contains($0) }
    }

    /// The only unclaimed entry that fits a book which was at another path. Another book may be at that path now.
    private mutating func moved(_ places: [Int]?, _ fits: (BackupEntry) -> Bool) -> Int? {
        let free = (places ?? []).filter { !claimed.contains($0) && fits(entries[$0]) }
        return free.count == 1 ? claim(free.first) : nil
    }

    private mutating func claim(_ place: Int?) -> Int? {
        if let place { claimed.insert(place) }
        return place
    }

    // MARK: comparisons

    /// Whether the listed values show that the file is the same.
    private static func isSameFile(_ entry: BackupEntry, _ book: Book) -> Bool {
        if let one = entry.contentID, let other = book.contentID { return one == other }
        var isKnown = false
        if let one = entry.size, let other = book.size {
            guard one == other else { return false }
            isKnown = true
        }
        if let one = entry.dateAdded, let other = book.dateAdded {
            guard one == other else { return false }
            isKnown = true
        }
        return isKnown
    }

    /// Whether a changed file at the path of an entry is surely the same book. With the same uuid, it also needs the
    /// same title or a common author, because books made from one template may have one uuid. Without uuids it needs
    /// the same title and authors, and the former book must not have been gone.
    private static func isSameBook(_ entry: BackupEntry, _ book: Book) -> Bool {
        let hasSameUUID = haveSameUUID(entry, book)
        if hasSameUUID == false { return false }
        let (own, others) = (
            BookSimilarity.compared(entry.authors), BookSimilarity.compared(book.authors)
        )
        let sharesAuthor = !own.isDisjoint(with: others)
        let hasSameTitle = haveSameTitle(entry, book)
        if hasSameUUID == true {
            let isTitled = entry.title?.isEmpty == false
            return sharesAuthor || (hasSameTitle && (isTitled || own == others))
        }
        guard entry.goneSince == nil else { return false }
        return hasSameTitle && (sharesAuthor || (own.isEmpty && others.isEmpty))
    }

    /// Whether both have the same uuid; nil if one of them has none.
    private static func haveSameUUID(_ entry: BackupEntry, _ book: Book) -> Bool? {
        guard let one = uuid(entry.uuid), let other = uuid(book.uuid) else { return nil }
        return one == other
    }

    private static func haveSameTitle(_ entry: BackupEntry, _ book: Book) -> Bool {
        BookSimilarity.compared(entry.title ?? "") == BookSimilarity.compared(book.title ?? "")
    }

    /// The form in which uuids are compared; nil if there is none.
    private static func uuid(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0.lowercased() }
    }
}
