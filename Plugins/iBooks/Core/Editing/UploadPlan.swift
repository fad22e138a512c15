import BookFolders
import OverlayKit

/// Decides what becomes of each file: whether the book is there already, and which name a new one gets.
///
/// A book is there if its id or content is, else if one of the same title and authors is. Books that no list names are not
/// there as far as Books knows; such a file is taken over if it has the very content that is to be added.
struct UploadPlan {
    private let options: UploadOptions
    /// Files that no list names, by their sizes.
    private let strays: [UInt64: [Library.Item]]
    /// The names that are taken, in whatever folder: a merged list names a book without its folder.
    private var taken: Set<String>
    /// Ids of books that are there or are to be added.
    private var ids: Set<String>
    private var byID: [String: Library.Item] = [:]
    private var byName: [TitleAndAuthors: [Library.Item]] = [:]
    /// Earlier items of the same upload, by their digests and ids.
    private var seen: [String: Int] = [:]
    /// Earlier items that are to be added, by title and authors, with the books they replace.
    private var coming: [TitleAndAuthors: Coming] = [:]
    private let log: MatchLog
    /// Books that earlier items replace.
    private var replaced: Set<SafePath> = []

    private static let place = "in Books"

    /// An earlier item that is to be added.
    private struct Coming {
        var index: Int
        /// The book it replaces.
        var replaced: Library.Item?
        /// Its digest and id.
        var keys: [String]
        /// The id that was given to it; nil if it has that of the book it replaces.
        var givenID: String?
        var path: SafePath
        /// Whether it takes over a file that no list names.
        var isThere: Bool
    }

    /// What to do with one file.
    enum Decision {
        /// The book is added; `insteadOf` an earlier item of the upload, which is another edition of it.
        case add(PlannedBook, insteadOf: Int? = nil)
        /// The same book stands earlier in the upload, at this index; the message says what of it is the same.
        case same(as: Int, String)
        case row(ItemResult)
    }

    /// - Parameter findings: what each book of the library says of itself.
    init(_ options: UploadOptions, _ library: Library, _ findings: [Finding], _ log: LogService?) {
        self.options = options
        self.log = MatchLog(log, category: "ibooks", place: Self.place)
        strays = Dictionary(
            grouping: library.items.filter { $0.sources.isEmpty && !$0.isUnpacked }, by: \.info.size)
        let promised = library.promised.compactMap(\.path)
        taken = Set((library.items.flatMap { $0.places.map(\.path) } + promised).map { $0.name.lowercased() })
        ids = Set(library.items.flatMap { $0.entry?.assetIDs ?? [] })
        ids.formUnion(library.promised.compactMap { $0.persistentID?.uppercased() })
        for (item, finding) in zip(library.items, findings).reversed() where !item.sources.isEmpty {
            for id in item.entry?.assetIDs ?? [] { byID[id] = item }
            let authors = item.entry?.artist.map { Authors.split($0) } ?? finding.book.authors
            let title = item.entry?.title ?? finding.book.title
            if let name = TitleAndAuthors(title: title, authors: authors) {
                byName[name, default: []].append(item)
            }
        }
    }

    /// Decides about a file that is a book.
    ///
    /// - Parameter lies: whether an unlisted file has the content of this one; asked only for files of the same size and kind.
    mutating func decide(
        _ index: Int, _ item: UploadItem, _ format: BookFormat, size: UInt64, digest: String,
        lies: (Library.Item) throws(OverlayError) -> Bool
    ) throws(OverlayError) -> Decision {
        let known = PersistentID.of(uuid: item.book.uuid)
        let id = known ?? String(digest.prefix(16))
        if let first = seen[digest] ?? seen[id] { return .same(as: first, AlreadyThere.sameContent) }
        (seen[digest], seen[id]) = (index, index)
        let authors = Authors.split(Authors.joined(item.book.authors ?? []))
        let name = TitleAndAuthors(title: item.book.title, authors: authors)
        var present: Library.Item?
        var insteadOf: Coming?
        if let same = byID[id] ?? byID[digest], !replaced.contains(same.path) {
            present = same
            let rule: MatchRule = known != nil && byID[id] != nil ? .uuid : .content
            log.found(item, rule, path: same.path.text, title: same.entry?.title)
        } else if let name, let earlier = coming[name] {
            // What two uploads would do one after the other, in one.
            guard options.onConflict == .replace else {
                return .same(as: earlier.index, AlreadyThere.earlier)
            }
            (present, insteadOf) = (earlier.replaced, earlier)
        } else {
            let left = (name.flatMap { byName[$0] } ?? []).filter { !replaced.contains($0.path) }
            if left.count > 1 {
                log.several(item, paths: left.map(\.path.text))
                return .row(several(index, left))
            }
            present = left.first
            if let present {
                log.found(item, .name, path: present.path.text, title: present.entry?.title)
            } else {
                log.none(item, byUUID: true)
            }
        }
        if let present, options.onConflict != .replace {
            let isKnown = present.entry?.packageHash.map { $0.uppercased() != digest } ?? false
            let isOther = !present.isUnpacked && (present.info.size != size || isKnown)
            return .row(
                .done(
                    index, .skipped, path: present.path.text,
                    message: sentence(AlreadyThere.sentence(Self.place, isOther: isOther))))
        }
        if let present { replaced.insert(present.path) }
        let stray = try stray(format, size, lies)
        let own = present?.entry?.persistentID ?? freeID(id, digest)
        guard let path = stray?.path ?? freePath(own, format, beside: present) else {
            return .row(
                .failed(index, OverlayError(.failed, "There is no free name for the book on the device.")))
        }
        if let insteadOf { forget(insteadOf) }
        if let name {
            coming[name] = Coming(
                index: index, replaced: present, keys: [digest, id],
                givenID: present?.entry?.persistentID == nil ? own : nil, path: path, isThere: stray != nil)
        }
        return .add(
            PlannedBook(
                index: index, item: item, format: format, size: size, digest: digest, persistentID: own,
                path: path, replaced: present, isThere: stray != nil), insteadOf: insteadOf?.index)
    }

    /// An item that gives way to a later one is nothing that a still later one could be the same as, and leaves its id and its
    /// place to others.
    private mutating func forget(_ earlier: Coming) {
        for key in earlier.keys where seen[key] == earlier.index { seen[key] = nil }
        if let id = earlier.givenID { ids.remove(id) }
        if earlier.isThere {
            replaced.remove(earlier.path)
        } else {
            taken.remove(earlier.path.name.lowercased())
        }
    }

    /// A sentence, and what is to be said of collections that were asked for.
    private func sentence(_ text: String) -> String {
        (options.collections ?? []).isEmpty ? text : text + " " + AlreadyThere.noCollections("Books")
    }

    private func several(_ index: Int, _ books: [Library.Item]) -> ItemResult {
        let count = "\(books.count) books with this title and these authors are in Books"
        guard options.onConflict == .replace else {
            return .done(index, .skipped, path: books[0].path.text, message: sentence(count + "."))
        }
        return .failed(
            index,
            OverlayError(
                .invalidArgument, count + ", and it is not certain which one is meant.",
                subject: books.prefix(3).map(\.path.text).joined(separator: ", "),
                hint: "Delete those that are too many, or use --on-conflict protect."))
    }

    /// A file that no list names and that has the content to be added; nil if there is none.
    private mutating func stray(
        _ format: BookFormat, _ size: UInt64, _ lies: (Library.Item) throws(OverlayError) -> Bool
    ) throws(OverlayError) -> Library.Item? {
        for item in strays[size] ?? [] where item.format == format && !replaced.contains(item.path) {
            guard try lies(item) else { continue }
            // Nobody else takes it.
            replaced.insert(item.path)
            return item
        }
        return nil
    }

    /// A free place in the folder of books that the replaced one is in, or else in that of synchronised books. What else lies
    /// in a folder within those nobody has looked at.
    ///
    /// Also a book that is replaced keeps its place until the new one has one of its own: the list changes from the one to
    /// the other in one step.
    private mutating func freePath(
        _ id: String, _ format: BookFormat, beside old: Library.Item?
    ) -> SafePath? {
        let folder = old.map { BookList.home(of: $0.path).list.prefix } ?? ""
        // An id comes from the device, where anybody may have written it.
        let stem = PersistentID.isPlain(id) ? id : "book"
        for number in 1...10_000 {
            let name = stem + (number == 1 ? "" : "-\(number)") + "." + format.rawValue
            guard !taken.contains(name.lowercased()), let path = SafePath(folder + name) else { continue }
            taken.insert(name.lowercased())
            return path
        }
        return nil
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
