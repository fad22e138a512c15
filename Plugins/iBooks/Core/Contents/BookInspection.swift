import FoundationEssentials
import OverlayKit
import PropertyLists

/// The result of an inspection of a book on the device: what it is, beyond what the lists say. Kept on the host from one
/// listing to the next.
struct BookInspection: Equatable {
    /// What must not have changed for the finding to hold.
    var stamp: [Int64]
    /// Bytes; of an unpacked book those of all its files.
    var size: UInt64
    var isProtected = false
    /// Title, authors and so on, as the book itself says.
    var book = Book()
    /// The cover's place in the media folder; nil for one inside a packed book, or none.
    var coverPath: String?
    /// The package document of an unpacked book, which may be rewritten without a change of any folder.
    var package: Package?
    /// False: something could not be read now, and is worth another try at the next listing.
    var isFinal = true

    /// A package document, and by what a changed one is known.
    struct Package: Equatable {
        /// Below the book's folder.
        let path: SafePath
        let size: UInt64
        /// In nanoseconds since 1970.
        let modified: Int64
    }

    /// The finding as it is kept.
    var propertyList: PropertyList {
        var entries: [String: PropertyList] = [
            "stamp": .array(stamp.map { .integer($0) }), "size": .integer(Int64(clamping: size)),
            "protected": .boolean(isProtected),
        ]
        for (key, text) in Self.texts { entries[key] = book[keyPath: text].map { .string($0) } }
        entries["authors"] = book.authors.map { .array($0.map { .string($0) }) }
        entries["tags"] = book.tags.map { .array($0.map { .string($0) }) }
        entries["seriesIndex"] = book.seriesIndex.map { .real($0) }
        entries["rating"] = book.rating.map { .real($0) }
        entries["coverSize"] = book.coverSize.map { .integer(Int64(clamping: $0)) }
        entries["coverPath"] = coverPath.map { .string($0) }
        entries["package"] = package.map { package in
            [
                "path": .string(package.path.text), "size": .integer(Int64(clamping: package.size)),
                "modified": .integer(package.modified),
            ]
        }
        return .dictionary(entries)
    }

    /// A finding that was kept; nil if it is damaged.
    init?(_ list: PropertyList) {
        guard let stamp = list["stamp"]?.array?.compactMap(\.integer),
            let size = list["size"]?.integer.flatMap({ UInt64(exactly: $0) }),
            let isProtected = list["protected"]?.boolean
        else { return nil }
        self.init(stamp: stamp, size: size, isProtected: isProtected)
        for (key, text) in Self.texts { book[keyPath: text] = list[key]?.string }
        book.authors = list["authors"]?.array.map { $0.compactMap(\.string) }
        book.tags = list["tags"]?.array.map { $0.compactMap(\.string) }
        book.seriesIndex = Self.number(list["seriesIndex"])
        book.rating = Self.number(list["rating"])
        book.coverSize = list["coverSize"]?.integer.flatMap { UInt64(exactly: $0) }
        coverPath = list["coverPath"]?.string
        if let kept = list["package"] {
            guard let path = kept["path"]?.string.flatMap({ SafePath($0) }),
                let size = kept["size"]?.integer.flatMap({ UInt64(exactly: $0) }),
                let modified = kept["modified"]?.integer
            else { return nil }
            package = Package(path: path, size: size, modified: modified)
        }
    }

    /// A finding of which only what is given is known.
    init(stamp: [Int64], size: UInt64, isProtected: Bool = false) {
        self.stamp = stamp
        self.size = size
        self.isProtected = isProtected
    }

    private static func number(_ list: PropertyList?) -> Double? {
        switch list {
        case .real(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    private static var texts: [(String, WritableKeyPath<Book, String?>)] {
        [
            ("uuid", \.uuid), ("title", \.title), ("titleSort", \.titleSort), ("authorSort", \.authorSort),
            ("series", \.series), ("publisher", \.publisher), ("pubdate", \.pubdate),
            ("description", \.description), ("coverType", \.coverMediaType),
        ]
    }
}
