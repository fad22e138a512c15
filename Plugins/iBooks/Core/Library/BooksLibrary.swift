import OverlayKit

/// The books of a device: what the lists name and which files are there.
struct BooksLibrary {
    /// One book that is on the device.
    struct Item {
        /// Its path below `/Books`, which is its name in every call.
        let path: SafePath
        /// What the lists say; nil for a book that none names.
        var entry: BookEntry?
        let format: BookFormat
        /// The file, or the folder that it was unpacked into.
        let info: FileInfo
        /// The entries of the lists that are about it; none for a book that no list names.
        var sources: [Source] = []
        /// Its other files: an entry of a later list has its persistent id and names another file, such as the one before
        /// a replacement that was interrupted.
        var others: [Place] = []

        /// All its files, the one that counts first.
        var places: [Place] { [Place(path: path, info: info)] + others }

        /// Whether the book is a folder.
        var isUnpacked: Bool { info.kind == .folder }
        /// Where it is in the media folder.
        var devicePath: String { BooksLibrary.path(path) }
    }

    /// A file, or a folder that a book was unpacked into.
    struct Place {
        /// Its path below `/Books`.
        let path: SafePath
        let info: FileInfo

        /// Whether it is a folder.
        var isUnpacked: Bool { info.kind == .folder }
        /// Where it is in the media folder.
        var devicePath: String { BooksLibrary.path(path) }
    }

    /// Where an entry about a book stands.
    struct Source: Hashable {
        /// In which list.
        let list: BooksPlist
        /// Its place there.
        let index: Int
        /// How its path begins: with the list's own folder, or with nothing, as in a list that was merged from several.
        let isInOwnFolder: Bool
    }

    /// The folder of everything.
    static let root = "/Books"

    /// Where a path below that is in the media folder.
    static func path(_ path: SafePath) -> String { root + "/" + path.text }

    /// The books that are there, those of the lists first, in their order.
    var items: [Item] = []
    /// A book that a list names and that is not on the device.
    struct Promised: Equatable {
        /// Its title, or else its path.
        let title: String
        let persistentID: String?
        /// Where it would be, below the folder of its list.
        var path: SafePath?
    }

    /// The books that the lists name and that are not on the device.
    var promised: [Promised] = []
    /// Lists, folders and files that could not be read: something to be told of when books are read, and nothing to change
    /// the lists on.
    var unreadable: [OverlayError] = []
    /// The lists as they were read, without those.
    var files: [BooksPlistFile] = []

    /// The lists that there are.
    var present: Set<BooksPlist> { Set(files.lazy.filter { $0.bytes != nil }.map(\.list)) }

    /// Refuses to continue from what was not read whole.
    func requireWhole() throws(OverlayError) {
        if let error = unreadable.first { throw error }
    }

    /// The books by the paths of all their files.
    func itemsByPath() -> [SafePath: Item] {
        Dictionary(
            items.lazy.flatMap { item in item.places.map { ($0.path, item) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The persistent ids that the lists name, in capitals.
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

    /// Passes over a list, folder or file that cannot be read.
    ///
    /// - Throws: what says more than that.
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

    /// Goes through the books, once.
    init(_ items: some Sequence<BooksLibrary.Item>) {
        for (place, item) in items.enumerated() {
            if let id = item.entry?.persistentID { places[id.uppercased(), default: []].append(place) }
        }
    }

    /// The place of the one book that has an id; nil if none has it, or several do.
    func only(_ persistentID: String?) -> Int? {
        guard let id = persistentID, let own = places[id.uppercased()], own.count == 1 else { return nil }
        return own[0]
    }
}
