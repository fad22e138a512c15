import OverlayKit

/// Decides what becomes of each file: whether the book is there already, and which name a new one gets.
struct UploadPlan {
    private let options: UploadOptions
    private let library: Library
    private var taken: Set<String>
    /// Ids of books that are there or are to be added.
    private var ids: Set<String>

    /// What to do with one file.
    enum Decision {
        case add(PlannedBook)
        case row(ItemResult)
    }

    init(_ options: UploadOptions, _ library: Library) {
        self.options = options
        self.library = library
        taken = Set(library.items.map { $0.path.text.lowercased() })
        ids = Set(library.items.flatMap { $0.entry?.assetIDs ?? [] })
    }

    /// Decides about a file that is a book.
    mutating func decide(
        _ index: Int, _ item: UploadItem, _ format: BookFormat, size: UInt64, digest: String
    ) -> Decision {
        let id = PersistentID.of(uuid: item.book.uuid) ?? String(digest.prefix(16))
        guard let present = find(id, digest, item.book) else {
            return plan(index, item, format, size, freeID(id, digest), replacing: nil)
        }
        guard options.onConflict == .replace else {
            return .row(
                .done(index, .skipped, path: present.path.text, message: "Books has this book already."))
        }
        return plan(
            index, item, format, size, present.entry?.persistentID ?? freeID(id, digest), replacing: present)
    }

    /// The book that is the same: by its id or content, else by title and authors.
    private func find(_ id: String, _ digest: String, _ book: Book) -> Library.Item? {
        if let same = library.items.first(where: {
            $0.entry?.assetIDs.contains { $0 == id || $0 == digest } ?? false
        }) {
            return same
        }
        guard let title = book.title.map(Self.key), !title.isEmpty else { return nil }
        let authors = Self.key(Authors.joined(book.authors ?? []))
        return library.items.first { item in
            item.entry?.title.map(Self.key) == title && Self.key(item.entry?.artist ?? "") == authors
        }
    }

    /// Letters and digits in lower case, as titles are compared.
    private static func key(_ text: String) -> String {
        String(text.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    private mutating func plan(
        _ index: Int, _ item: UploadItem, _ format: BookFormat, _ size: UInt64, _ id: String,
        replacing old: Library.Item?
    ) -> Decision {
        // A packed book of the same kind is replaced in its place, in one step.
        if let old, !old.isUnpacked, old.format == format {
            return .add(
                PlannedBook(
                    index: index, item: item, format: format, size: size, persistentID: id, path: old.path,
                    replaced: old))
        }
        for number in 1...10_000 {
            let name = id + (number == 1 ? "" : "-\(number)") + "." + format.rawValue
            guard !taken.contains(name.lowercased()), let path = SafePath(name) else { continue }
            taken.insert(name.lowercased())
            return .add(
                PlannedBook(
                    index: index, item: item, format: format, size: size, persistentID: id, path: path,
                    replaced: old))
        }
        return .row(
            .failed(index, OverlayError(.failed, "There is no free name for the book on the device.")))
    }

    /// An id that no other book has, which no other one gets from now on.
    private mutating func freeID(_ id: String, _ digest: String) -> String {
        let digits = Array(digest + digest)
        let others = (0..<16).lazy.map { String(digits[$0..<($0 + 16)]) }
        let free = ids.contains(id) ? others.first { !ids.contains($0) } ?? id : id
        ids.insert(free)
        return free
    }
}
