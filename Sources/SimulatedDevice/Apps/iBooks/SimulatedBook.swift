import PropertyLists

/// One book of a simulated Books.
public struct SimulatedBook: Sendable {
    /// The list that names a book.
    public enum List: String, Sendable, CaseIterable {
        /// What a computer wants to sync: `Sync/Books.plist`.
        case sync = "Sync/Books.plist"
        /// What was synced: `Books.plist`.
        case synchronised = "Books.plist"
        /// What was bought on the device or taken in by Books: `Purchases/Purchases.plist`.
        case purchases = "Purchases/Purchases.plist"

        /// The folder of its books, below `Books`; empty for `Books` itself.
        var folder: String { self == .purchases ? "Purchases/" : "" }
    }

    /// Where a cover is kept.
    public enum CoverPlace: Sendable {
        /// Among the covers that came by syncing, under the book's persistent id.
        case artwork
        /// In the book's folder, at this path, which the list names.
        case inBook(String)
    }

    /// `Name`.
    public var title: String?
    /// `Artist`.
    public var artist: String?
    /// `Path`: the name of its file or folder.
    public var path: String
    /// `Persistent ID`.
    public var persistentID: String?
    /// `Package Hash`, which annotations name.
    public var packageHash: String?
    /// The lists that name it; none for a book that is only in the folder. Its files are in the folder of the first.
    public var lists: [List] = [.synchronised]
    /// The files of an unpacked book, by their paths.
    public var files: [String: [UInt8]] = [:]
    /// The file of a packed one; nil for an unpacked one, or one that is not there.
    public var file: [UInt8]?
    /// Its cover.
    public var cover: (bytes: [UInt8], place: CoverPlace)?
    /// `Is Protected`.
    public var isProtected: Bool?
    /// Keys that only Books understands, with texts.
    public var otherKeys: [String: String] = [:]

    /// A book of which nothing is known but its name.
    public init(path: String, title: String? = nil, artist: String? = nil, persistentID: String? = nil) {
        self.path = path
        self.title = title
        self.artist = artist
        self.persistentID = persistentID
    }

    /// Its entry in a list.
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
