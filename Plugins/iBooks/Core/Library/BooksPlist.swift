import Diagnostics
import FoundationEssentials
import OverlayKit
import PropertyLists

/// A property list of books, and the folder to which its paths are relative.
struct BooksPlist: Hashable, Sendable {
    /// Its path in the media folder.
    let path: String
    /// The folder of its books in the media folder.
    let folder: String

    /// The books that iTunes or Finder sent last, and those that they have still to send.
    static let sync = BooksPlist(path: "/Books/Sync/Books.plist", folder: "/Books")
    /// Books that were synced.
    static let synchronised = BooksPlist(path: "/Books/Books.plist", folder: "/Books")
    /// Books that were bought on the device, or that Books imported itself.
    static let purchases = BooksPlist(path: "/Books/Purchases/Purchases.plist", folder: "/Books/Purchases")
    /// Books that an organisation installed on the device.
    static let managed = BooksPlist(path: "/Books/Managed/Managed.plist", folder: "/Books/Managed")

    /// All lists; the values of an earlier list take precedence.
    static let all: [BooksPlist] = [.sync, .synchronised, .purchases, .managed]

    /// What follows the name of a list in the names of its older copies, before their date.
    static let copyMark = ".overlayhost-"

    /// Whether a file in the folder of the list has the name of an older copy of it.
    func hasCopy(named name: String) -> Bool {
        (ownFolder + "/" + name).hasPrefix(path + Self.copyMark)
    }

    /// The folder that contains the list, in the media folder.
    var ownFolder: String { path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } }

    /// The prefix that makes the paths of this list relative to `/Books`.
    var prefix: String {
        folder == BooksLibrary.root ? "" : folder.dropFirst(BooksLibrary.root.count + 1) + "/"
    }

    /// The list for a book at this path, and its path in that list.
    static func home(of path: SafePath) -> (list: BooksPlist, path: String) {
        for list in [BooksPlist.purchases, .managed] {
            if let own = path.rest(after: list.prefix) { return (list, own) }
        }
        return (.synchronised, path.text)
    }

    /// The path of a book in this list, written in the same way as its previous entry.
    func path(to path: SafePath, _ source: BooksLibrary.Source) -> String {
        if source.isInOwnFolder, let own = path.rest(after: prefix) { return own }
        // A merged list names a book as if it were in the main folder.
        return path.name
    }
}

/// A property list of books that has been read.
struct BooksPlistFile {
    /// The longest list that is read, in bytes.
    static let largest = 64 << 20
    /// The key of the list of books.
    static let books = "Books"

    let list: BooksPlist
    /// The bytes of the file; nil if it does not exist.
    let bytes: [UInt8]?
    /// Its content; an empty dictionary if the file does not exist.
    let root: [String: PropertyList]

    /// The format of the property list.
    var form: PropertyList.Form { bytes.map { PropertyList.Form(of: $0) } ?? .xml }

    /// Its books, in order.
    var entries: [PropertyList] { root[Self.books]?.array ?? [] }

    /// Reads a list; nil bytes if it does not exist.
    ///
    /// - Throws: `damaged` if the file is not a list of books.
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

    /// The list with other books, encoded in its present format. All other values in it are kept.
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
