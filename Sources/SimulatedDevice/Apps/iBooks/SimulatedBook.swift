import PropertyLists

/// One book of a simulated Books app.
public struct SimulatedBook: Sendable {
    /// A list of books, by its path.
    public enum List: String, Sendable, CaseIterable {
        /// The books that a computer wants to sync: `Sync/Books.plist`.
        case sync = "Sync/Books.plist"
        /// The books that were synced: `Books.plist`.
        case synchronised = "Books.plist"
        /// The books bought on the device or imported by Books: `Purchases/Purchases.plist`.
        case purchases = "Purchases/Purchases.plist"

        /// The folder of the list's books, relative to `Books`; empty for `Books` itself.
        var folder: String { self == .purchases ? "Purchases/" : "" }
    }

    /// The location of a cover.
    public enum CoverPlace: Sendable {
        /// Among the covers that were synced, under the book's persistent id.
        case artwork
        /// In the book's folder, at this path, which the list states.
        case inBook(String)
    }

    /// The value of `Name`.
    public var title: String?
    /// The value of `Artist`.
    public var artist: String?
    /// The value of `Path`: the name of the file or folder.
    public var path: String
    /// The value of `Persistent ID`.
    public var persistentID: String?
    /// The value of `Package Hash`, which annotations refer to.
    public var packageHash: String?
    /// The lists that name the book; empty for a book that is only in the folder. Its files are in the folder of the
    /// first list.
    public var lists: [List] = [.synchronised]
    /// The files of an unpacked book, by path.
    public var files: [String: [UInt8]] = [:]
    /// The file of a packed book; nil for an unpacked or missing one.
    public var file: [UInt8]?
    /// The cover and its location.
    public var cover: (bytes: [UInt8], place: CoverPlace)?
    /// The value of `Is Protected`.
    public var isProtected: Bool?
    /// Additional keys that only Books uses, with text values.
    public var otherKeys: [String: String] = [:]

    /// Creates a book of which only the path and the given values are known.
    public init(path: String, title: String? = nil, artist: String? = nil, persistentID: String? = nil) {
        self.path = path
        self.title = title
        self.artist = artist
        self.persistentID = persistentID
    }

    /// The book's entry in a list.
    var entry: PropertyList {
        var values: [String: PropertyList] = ["Path": .string(path)]
        values["Name"] = title.map { .string($0) }
        values["Artist"] = artist.map { .string($0) }
        values["Persistent ID"] = persistentID.map { .string($0) }
        values["Package Hash"] = packageHash.map { .string($0) }
        values["Is Protected"] = isProtected.map { .boolean($0) }
        if case .inBook(let place)? = cover?.place { values["Cover Path"] = .string(place) }
        for (key, text) in otherKeys { values[key] = .string(text) }
        return .dictionary(values)
    }
}
