import FoundationEssentials
import OverlayKit
import PropertyLists

/// A property list that names books, and the folder its paths begin in.
struct BooksPlist: Hashable, Sendable {
    /// Its path in the media folder.
    let path: String
    /// The folder of its books, in the media folder.
    let folder: String

    /// What iTunes or Finder sent last, and what they still want to send.
    static let sync = BooksPlist(path: "/Books/Sync/Books.plist", folder: "/Books")
    /// Books that were synced.
    static let synchronised = BooksPlist(path: "/Books/Books.plist", folder: "/Books")
    /// Books that were bought on the device, or that Books imported on its own.
    static let purchases = BooksPlist(path: "/Books/Purchases/Purchases.plist", folder: "/Books/Purchases")
    /// Books that an organisation put onto the device.
    static let managed = BooksPlist(path: "/Books/Managed/Managed.plist", folder: "/Books/Managed")

    /// All of them; what an earlier one says about a book counts before what a later one says.
    static let all: [BooksPlist] = [.sync, .synchronised, .purchases, .managed]

    /// The folder of the list itself, in the media folder.
    var ownFolder: String { path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } }

    /// What stands before the paths of this list to make them paths below `/Books`.
    var prefix: String {
        folder == BooksLibrary.root ? "" : folder.dropFirst(BooksLibrary.root.count + 1) + "/"
    }

    /// The list that a book at this path belongs in, and its path there.
    static func home(of path: SafePath) -> (list: BooksPlist, path: String) {
        for list in [BooksPlist.purchases, .managed] {
            if let own = path.rest(after: list.prefix) { return (list, own) }
        }
        return (.synchronised, path.text)
    }

    /// How this list writes the place of a book, as it wrote that of the one before it.
    func path(to path: SafePath, _ source: BooksLibrary.Source) -> String {
        if source.isInOwnFolder, let own = path.rest(after: prefix) { return own }
        // A merged list names a book as if it lay beside the rest.
        return path.name
    }
}

/// A property list of books as it was read.
struct BooksPlistFile {
    /// The longest list that is read.
    static let largest = 64 << 20
    /// The key of the list of books.
    static let books = "Books"

    let list: BooksPlist
    /// The file, byte by byte; nil: there is none.
    let bytes: [UInt8]?
    /// Its content; a file that is not there is an empty dictionary.
    let root: [String: PropertyList]

    /// The form it is kept in.
    var form: PropertyList.Form { bytes.map { PropertyList.Form(of: $0) } ?? .xml }

    /// Its books, in their order.
    var entries: [PropertyList] { root[Self.books]?.array ?? [] }

    /// Reads a list; nil bytes for one that is not there.
    ///
    /// - Throws: `damaged` for a file that is not a list of books.
    init(_ list: BooksPlist, bytes: [UInt8]?) throws(OverlayError) {
        self.list = list
        self.bytes = bytes
        guard let bytes else {
            root = [:]
            return
        }
        let value: PropertyList
        do throws(PropertyListError) {
            value = try PropertyList(parsing: bytes, limits: .file)
        } catch {
            throw OverlayError(
                .damaged, "The list of books is damaged: \(error.message)", subject: list.path,
                hint: "Open Books on the device once. It may repair its list.")
        }
        guard case .dictionary(let root) = value, root[Self.books].map({ $0.array != nil }) ?? true else {
            throw OverlayError(
                .damaged, "This is not a list of books in the format that Books uses.", subject: list.path)
        }
        self.root = root
    }

    /// The list with other books, encoded in the form it has; everything else in it stays.
    func encoded(_ entries: [PropertyList]) throws(OverlayError) -> [UInt8] {
        var root = root
        root[Self.books] = .array(entries)
        do throws(PropertyListError) {
            return try PropertyList.dictionary(root).encoded(form)
        } catch {
            throw OverlayError(
                .damaged, "Cannot write the list of books: \(error.message)", subject: list.path)
        }
    }
}
