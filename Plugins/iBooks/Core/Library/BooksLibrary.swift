import OverlayKit

/// The books of a device: the entries of the lists and the existing files.
struct BooksLibrary {
    /// A book that is on the device.
    struct Item {
        /// Its path relative to `/Books`, by which all calls refer to it.
        let path: SafePath
        /// What the lists say; nil for a book that is not listed.
        var entry: BookEntry?
        let format: BookFormat
        /// The file, or the folder of an unpacked book.
        let info: FileInfo
        /// The list entries about it; empty for a book that is not listed.
        var sources: [Source] = []
        /// Its other files: an entry of a later list has its persistent id but names another file, such as the old
        /// one after an interrupted replacement.
        var others: [Place] = []

        /// All its files, the main one first.
        var places: [Place] { [Place(path: path, info: info)] + others }

        /// Whether the book is a folder.
        var isUnpacked: Bool { info.kind == .folder }
        /// Its path in the media folder.
        var devicePath: String { BooksLibrary.path(path) }
    }

    /// The error for a path that no book has.
    static func noSuchBook(_ path: String?) -> OverlayError {
        OverlayError(
            .notFound, "Books has no book with this path.", subject: path,
            hint: "List the books again.")
    }

    /// A file, or the folder of an unpacked book.
    struct Place {
        /// Its path relative to `/Books`.
        let path: SafePath
        let info: FileInfo

        /// Whether it is a folder.
        var isUnpacked: Bool { info.kind == .folder }
        /// Its path in the media folder.
        var devicePath: String { BooksLibrary.path(path) }
    }

    /// The position of an entry about a book.
    struct Source: Hashable {
        /// The list.
        let list: BooksPlist
        /// The index in the list.
        let index: Int
        /// Whether its path is relative to the list's own folder. In a list that was merged from several, the path
        /// may be a mere name instead.
        let isInOwnFolder: Bool
    }

    /// The folder that contains everything.
    static let root = "/Books"

    /// The path in the media folder of a path relative to that folder.
    static func path(_ path: SafePath) -> String { root + "/" + path.text }

    /// The existing books, those of the lists first and in their order.
    var items: [Item] = []
    /// A book in the lists that is not on the device.
    struct Promised: Equatable {
        /// Its title, or else its path.
        let title: String
        let persistentID: String?
        /// Its expected path, relative to the folder of its list.
        var path: SafePath?
    }

    /// The books in the lists that are not on the device.
    var promised: [Promised] = []
    /// Lists, folders and files that could not be read. This is reported when books are listed, and the lists must
    /// not be changed then.
    var unreadable: [OverlayError] = []
    /// The error about the first list that was there before and is missing now. It is also in `unreadable`.
    var missingList: OverlayError?
    /// The lists that could be read.
    var files: [BooksPlistFile] = []

    /// The existing lists.
    var present: Set<BooksPlist> { Set(files.lazy.filter { $0.bytes != nil }.map(\.list)) }

    /// Whether a missing list may name a book that is on the device.
    ///
    /// The list of a sync contains the books of other lists, so only books that no list names count.
    func mayBeNamed(by list: BooksPlist) -> Bool {
        let home = list == .sync ? .synchronised : list
        return items.contains { item in
            guard list != .sync || item.sources.isEmpty else { return false }
            return item.places.contains { BooksPlist.home(of: $0.path).list == home }
        }
    }

    /// Notes that lists are missing.
    mutating func miss(_ lists: [BooksPlist]) {
        let errors = lists.map { list in
            OverlayError(
                .busy,
                "A list of books that was there before is missing. Another program may be rewriting it.",
                subject: list.path,
                hint: "Open Books on the device, wait until it shows your books, then try again.",
                retryable: true)
        }
        unreadable += errors
        missingList = errors.first
    }

    /// Throws if something could not be read.
    func requireWhole() throws(OverlayError) {
        if let error = unreadable.first { throw error }
    }

    /// The books, by the paths of all their files.
    func itemsByPath() -> [SafePath: Item] {
        Dictionary(
            items.lazy.flatMap { item in item.places.map { ($0.path, item) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The persistent ids in the lists, in upper case.
    ///
    /// - Parameter struck: entries that do not count.
    func persistentIDs(without struck: [Source] = []) -> Set<String> {
        let struck = Dictionary(grouping: struck, by: \.list).mapValues { Set($0.map(\.index)) }
        var ids: Set<String> = []
        for file in files {
            let gone = struck[file.list] ?? []
            for (index, value) in file.entries.enumerated() where !gone.contains(index) {
                if let id = BookEntry(value)?.persistentID { ids.insert(id.uppercased()) }
            }
        }
        return ids
    }

    /// Skips a list, folder or file that cannot be read.
    ///
    /// - Throws: an error that concerns more than that item.
    mutating func pass(over error: OverlayError, at path: String) throws(OverlayError) {
        guard error.isOfOnePlace else { throw error }
        var error = error
        if error.status != .damaged { error.message = "Cannot read a part of Books: " + error.message }
        error.subject = error.subject ?? path
        unreadable.append(error)
    }
}

/// Finds a book by its persistent id.
struct BooksByID {
    private var places: [String: [Int]] = [:]

    /// Builds the table from the books.
    init(_ items: some Sequence<BooksLibrary.Item>) {
        for (place, item) in items.enumerated() {
            if let id = item.entry?.persistentID { places[id.uppercased(), default: []].append(place) }
        }
    }

    /// The index of the only book with an id; nil if there is none or several.
    func only(_ persistentID: String?) -> Int? {
        guard let id = persistentID, let own = places[id.uppercased()], own.count == 1 else { return nil }
        return own[0]
    }
}
