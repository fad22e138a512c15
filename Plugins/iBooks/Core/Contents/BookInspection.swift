import FoundationEssentials
import OverlayKit
import PropertyLists

/// What was found out about a book on the device, in addition to the lists. It is kept on the host between listings.
struct BookInspection: Equatable {
    /// The values that must be unchanged for the inspection to be valid.
    var stamp: [Int64]
    /// The size in bytes; for an unpacked book, the total of its files.
    var size: UInt64
    var isProtected = false
    /// The metadata in the book itself, such as title and authors.
    var book = Book()
    /// The path of the cover in the media folder; nil if the cover is inside a packed book, or there is none.
    var coverPath: String?
    /// The package document of an unpacked book, which may be rewritten without changing the time of any folder.
    var package: Package?
    /// False if something could not be read this time, so that the next listing tries again.
    var isFinal = true

    /// A package document, and the values that show whether it has changed.
    struct Package: Equatable {
        /// The path relative to the book's folder.
        let path: SafePath
        let size: UInt64
        /// In nanoseconds since 1970.
        let modified: Int64
    }

    /// The inspection in its stored form.
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

    /// Reads a stored inspection; nil if it is damaged.
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

    /// Creates an inspection in which only these values are known.
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
