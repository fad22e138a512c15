import FoundationEssentials
import PropertyLists

/// What the lists say about one book. Keys that are not understood are kept in the lists unchanged.
struct BookEntry: Equatable {
    /// The keys that are understood.
    enum Key {
        static let path = "Path"
        static let name = "Name"
        static let artist = "Artist"
        static let persistentID = "Persistent ID"
        static let packageHash = "Package Hash"
        static let coverPath = "Cover Path"
        static let isProtected = "Is Protected"
        static let genre = "Genre"
        static let imported = "importDate"
        static let itemID = "Item ID"
        static let storeID = "s"
    }

    private var values: [String: PropertyList]

    /// Creates an entry of a list; nil if it is not a dictionary.
    init?(_ value: PropertyList) {
        guard case .dictionary(let values) = value else { return nil }
        self.values = values
    }

    /// Adds the values of another list's entry for the same book where this one has none.
    mutating func fill(from other: BookEntry) {
        values.merge(other.values) { own, _ in own }
    }

    /// The path relative to the folder of the list; nil for a book that is only announced or has a forbidden path.
    var path: SafePath? { text(Key.path).flatMap { SafePath($0) } }

    /// The title, which is sometimes the file's name.
    var title: String? {
        guard let name = text(Key.name) else { return nil }
        for ending in [".epub", ".pdf", ".ibooks"] where name.lowercased().hasSuffix(ending) {
            let stem = String(name.dropLast(ending.count))
            return stem.isEmpty ? name : stem
        }
        return name
    }

    /// The authors, as one text.
    var artist: String? { text(Key.artist) }
    var genre: String? { text(Key.genre) }
    var persistentID: String? { text(Key.persistentID) }
    var packageHash: String? { text(Key.packageHash) }
    /// The path of the cover, relative to the book's own folder.
    var coverPath: SafePath? { text(Key.coverPath).flatMap { SafePath($0) } }
    /// Whether the book has Apple's protection; nil if the entry does not say.
    var isProtected: Bool? {
        switch values[Key.isProtected] {
        case .boolean(let flag): flag
        case .integer(let number): number != 0
        case .string(let text): ["1", "true", "yes"].contains(text.lowercased())
        default: nil
        }
    }
    /// When it was added to the device, in seconds since 1970.
    var imported: Int64? {
        guard let date = values[Key.imported]?.date else { return nil }
        return Int64(exactly: date.timeIntervalSince1970.rounded(.down))
    }

    /// The names by which annotations may refer to it, in upper case.
    var assetIDs: [String] {
        var ids = [packageHash, persistentID, text(Key.itemID)].compactMap { $0?.uppercased() }
        if let number = values[Key.storeID]?.integer { ids.append("\(number)") }
        // The store writes its numbers in hexadecimal in one place and in decimal in another.
        if let item = text(Key.itemID), let number = UInt64(item, radix: 16) { ids.append("\(number)") }
        var seen: Set<String> = []
        return ids.filter { seen.insert($0).inserted }
    }

    /// A text or number that is present and not empty.
    private func text(_ key: String) -> String? {
        let text: String
        switch values[key] {
        case .string(let value): text = value
        case .integer(let value): text = "\(value)"
        default: return nil
        }
        let kept = text.drop { $0.isWhitespace }
        guard let last = kept.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        return String(kept[...last])
    }
}

/// Authors in the form of Books: one text.
enum Authors {
    /// The authors in a text, separated by `&` or a semicolon. A comma does not separate authors, because it may
    /// separate family and given names.
    static func split(_ text: String) -> [String] {
        var authors: [String] = []
        for part in text.split(whereSeparator: { $0 == "&" || $0 == ";" }) {
            let name = part.drop { $0.isWhitespace }
            guard let last = name.lastIndex(where: { !$0.isWhitespace }) else { continue }
            authors.append(String(name[...last]))
        }
        return authors
    }

    /// The text of authors.
    static func joined(_ authors: [String]) -> String { authors.joined(separator: " & ") }
}

/// The formats of books that Books keeps as files.
enum BookFormat: String, CaseIterable {
    case epub
    /// The format of iBooks Author: an EPUB in a folder, with extensions that only Books shows.
    case ibooks
    case pdf

    /// The format of a file or folder, by its extension; nil if it is not a book.
    init?(_ path: SafePath) { self.init(rawValue: path.fileExtension) }

    /// The media type.
    var mediaType: String {
        switch self {
        case .epub: "application/epub+zip"
        case .ibooks: "application/x-ibooks+zip"
        case .pdf: "application/pdf"
        }
    }
}
