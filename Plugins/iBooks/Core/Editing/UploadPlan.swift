import BookFolders
import OverlayKit
import Platform
import UploadPlanning

/// Turns the decisions about an upload into books to send, and chooses the names of new files.
///
/// Books that no list names do not count, because Books does not know them. Such a file is reused if it has exactly
/// the content to be added.
struct UploadPlan {
    private static let place = "in Books"
    private static let policy = UploadPolicy(
        app: "Books", place: place, comparesContentFirst: true, update: .leavesAlone,
        refreshesSameContent: true, titleAloneReplaces: false,
        rules: "its uuid, its content, or its title and authors")

    private let options: UploadOptions
    private let evidence: ListEvidence
    private var planner: UploadPlanner<SafePath>
    /// Files that no list names, by size.
    private let strays: [UInt64: [BooksLibrary.Item]]
    /// The names in use in any folder, because a merged list names a book without its folder.
    private var taken: Set<String>
    /// The ids of books that exist or will be added.
    private var ids: Set<String>
    /// Items to be added.
    private var planned: [Int: PlannedBook] = [:]
    /// Books that stay unchanged because items have exactly their content.
    private var kept: [Int: BooksLibrary.Item] = [:]
    /// Files that no list names and that items reuse.
    private var adopted: Set<SafePath> = []

    /// What to do with a file.
    enum Step {
        /// Add the book; `insteadOf` is an earlier item of the upload with another edition of it.
        case add(PlannedBook, insteadOf: Int? = nil)
        /// The item is the same book as the earlier item with this index; the message names the common property.
        case same(as: Int, String)
        case row(ItemResult)
    }

    /// - Parameters:
    ///   - books: what is known about all items.
    ///   - inspections: the inspection of each book of the library.
    init(
        _ options: UploadOptions, of books: [Book], _ library: BooksLibrary, _ inspections: [BookInspection],
        _ host: HostServices
    ) {
        self.options = options
        evidence = ListEvidence(host, library, inspections, isReplacing: options.onConflict == .replace)
        planner = UploadPlanner(
            Self.policy, options, of: books, MatchLog(host.log, category: "ibooks", place: Self.place))
        strays = Dictionary(
            grouping: library.items.filter { $0.sources.isEmpty && !$0.isUnpacked }, by: \.info.size)
        let promised = library.promised.compactMap(\.path)
        taken = Set((library.items.flatMap { $0.places.map(\.path) } + promised).map { $0.name.lowercased() })
        ids = Set(library.items.flatMap { $0.entry?.assetIDs ?? [] })
        ids.formUnion(library.promised.compactMap { $0.persistentID?.uppercased() })
    }

    /// The step for a file that is a book.
    ///
    /// - Parameter hasContent: returns whether an unlisted file has the content of this one; called only for files of
    ///   the same size and format.
    mutating func step(
        _ index: Int, _ item: UploadItem, _ format: BookFormat, size: UInt64, digest: String,
        hasContent: (BooksLibrary.Item) throws(OverlayError) -> Bool
    ) throws(OverlayError) -> Step {
        let incoming = IncomingBook(
            index: index, name: item.name, uuid: item.book.uuid?.lowercased(), content: digest,
            title: item.book.title, authors: Authors.split(Authors.joined(item.book.authors ?? [])),
            format: format.rawValue, replacedPath: item.book.path)
        if format == .epub { evidence.take(item.file, size: size, of: index) }
        func add(
            _ old: BooksLibrary.Item?, _ remarks: [String], insteadOf earlier: Int? = nil
        ) throws(OverlayError) -> Step {
            let stray = PlannedBook.isUnpacked(format, over: old) ? nil : try stray(format, size, hasContent)
            let wish = PersistentID.of(uuid: item.book.uuid) ?? PersistentID.of(digest: digest)
            let shared = PersistentID.of(sharedUUID: item.book.uuid, digest: digest)
            let id = old?.entry?.persistentID ?? freeID([wish] + [shared].compactMap { $0 }, digest)
            guard let path = stray?.path ?? freePath(id, format, beside: old) else {
                throw OverlayError(.failed, "Cannot find an unused name for the book on the device.")
            }
            let book = PlannedBook(
                index: index, item: item, format: format, size: size, digest: digest, persistentID: id,
                path: path, replaced: old, isThere: stray != nil, remarks: remarks)
            planned[index] = book
            return .add(book, insteadOf: earlier)
        }
        switch try planner.decide(incoming, evidence) {
        case .send(.new, let remarks): return try add(nil, remarks)
        case .send(.present(let present), let remarks):
            return try add(evidence.item(present.key), remarks)
        case .refresh(let present) where evidence.isUnpacked(present.key, of: index):
            // If it were sent again, it would get another `Package Hash`, and Books would no longer find the user's
            // marks in it.
            kept[index] = evidence.item(present.key)
            return .row(skipped(index, present.path, DuplicateMessages.sentence(Self.place, isOther: false)))
        case .refresh(let present), .update(let present, _): return try add(evidence.item(present.key), [])
        case .send(.earlier(let earlier), let remarks):
            if let kept = kept[earlier] { return try add(kept, remarks) }
            guard let old = planned[earlier] else { return .same(as: earlier, DuplicateMessages.sameBook) }
            forget(old)
            return try add(old.replaced, remarks, insteadOf: earlier)
        case .same(let first, let message): return .same(as: first, message)
        case .skip(let present, let rule):
            let old = evidence.item(present.key)
            let isKnown = old?.entry?.packageHash.map { $0.uppercased() != digest } ?? false
            let isOther = old.map { !$0.isUnpacked && ($0.info.size != size || isKnown) } ?? false
            return .row(
                skipped(
                    index, present.path,
                    DuplicateMessages.sentence(
                        Self.place, isOther: isOther, title: present.title(ifOther: rule))))
        case .skipAmbiguous(let books, let message):
            return .row(skipped(index, books.first?.path, message))
        case .fail(let error, let present): return .row(.failed(index, error, path: present?.path))
        }
    }

    /// An item that a later one replaces releases its id and path.
    private mutating func forget(_ earlier: PlannedBook) {
        planned[earlier.index] = nil
        if earlier.replaced?.entry?.persistentID == nil { ids.remove(earlier.persistentID) }
        if earlier.isThere {
            adopted.remove(earlier.path)
        } else {
            taken.remove(earlier.path.name.lowercased())
        }
    }

    /// The row of a book that is left alone, with a message about requested collections.
    private func skipped(_ index: Int, _ path: String?, _ text: String) -> ItemResult {
        let isAsked = !(options.collections ?? []).isEmpty
        return .done(
            index, .skipped, path: path,
            message: isAsked ? text + " " + DuplicateMessages.noCollections("Books") : text)
    }

    /// A file that no list names and that has the content to be added; nil if there is none.
    private mutating func stray(
        _ format: BookFormat, _ size: UInt64, _ hasContent: (BooksLibrary.Item) throws(OverlayError) -> Bool
    ) throws(OverlayError) -> BooksLibrary.Item? {
        for item in strays[size] ?? [] where item.format == format && !adopted.contains(item.path) {
            guard try answerOnSecondTry({ () throws(OverlayError) in try hasContent(item) }) else { continue }
            adopted.insert(item.path)
            return item
        }
        return nil
    }

    /// A free path in the folder of the replaced book, or else in the folder of synced books. Other files in deeper
    /// folders are not listed.
    ///
    /// A replaced book also keeps its path until the new one has its own, so that the list switches between them in
    /// one step.
    private mutating func freePath(
        _ id: String, _ format: BookFormat, beside old: BooksLibrary.Item?
    ) -> SafePath? {
        let folder = old.map { BooksPlist.home(of: $0.path).list.prefix } ?? ""
        // An id comes from the device, where any program may have written it.
        let stem = PersistentID.isPlain(id) ? id : "book"
        for number in 1...10_000 {
            let name = stem + (number == 1 ? "" : "-\(number)") + "." + format.rawValue
            guard !taken.contains(name.lowercased()), let path = SafePath(folder + name) else { continue }
            taken.insert(name.lowercased())
            return path
        }
        return nil
    }

    /// An unused id, which is then reserved: one of the preferred ones, or else digits of the digest.
    private mutating func freeID(_ wishes: [String], _ digest: String) -> String {
        let digits = Array(digest + digest)
        let others = (0..<16).map { String(digits[$0..<($0 + 16)]) }
        let free = (wishes + others).first { !ids.contains($0) } ?? wishes.first ?? digest
        ids.insert(free)
        return free
    }
}

/// A book to be added, and its path.
struct PlannedBook {
    /// The prefix of a folder while it is being filled; listings skip such names.
    private static let mark = ".overlayhost-new-"

    let index: Int
    let item: UploadItem
    let format: BookFormat
    let size: UInt64
    /// The MD5 of its content, by which Books knows it.
    let digest: String
    let persistentID: String
    /// Its new path relative to `/Books`, which is free.
    let path: SafePath
    /// The book it replaces.
    let replaced: BooksLibrary.Item?
    /// Whether an interrupted upload already left the file at this path.
    let isThere: Bool
    /// Further sentences for the row.
    var remarks: [String] = []
    /// Its parts if it becomes a folder; nil for a file.
    var parts: BookParts?

    /// Whether a book becomes a folder: an EPUB does if it replaces a folder.
    static func isUnpacked(_ format: BookFormat, over old: BooksLibrary.Item?) -> Bool {
        format == .epub && old?.isUnpacked == true
    }

    /// The path of the folder while it is filled, next to its final path; nil for a file.
    var temporaryPath: SafePath? {
        guard Self.isUnpacked(format, over: replaced) else { return nil }
        return SafePath((path.folder.map { $0.text + "/" } ?? "") + Self.mark + path.name)
    }

    /// All paths that it may use on the device.
    var paths: [SafePath] { [path] + [temporaryPath].compactMap { $0 } }

    /// The bytes that it takes on the device, without its cover.
    var sentSize: UInt64 { isThere ? 0 : parts?.size ?? size }

    /// The bytes of a cover that Books can show; nil if there is none.
    var cover: [UInt8]? {
        guard let bytes = item.book.coverData, !bytes.isEmpty, PictureFormat(cover: bytes) != nil else {
            return nil
        }
        return bytes
    }
}
