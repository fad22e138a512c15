import BookFolders
import MarvinCommands
import OverlayKit
import Platform

/// A row of Marvin's library, with its data from other tables.
struct LibraryBook: Equatable, Sendable {
    /// The key in `Books`; nil if the library has no keys.
    var id: Int64?
    /// The name of the file in the folder of documents: a single safe path component.
    var fileName: String
    var uuid: String?
    var title: String?
    /// The authors as Marvin stores them: one text with the names joined by ", ".
    var author: String?
    var authorSort: String?
    var titleSort: String?
    var series: String?
    var seriesIndex: Double?
    var publisher: String?
    /// `YYYY-MM-DD`.
    var published: String?
    /// Seconds since 1970.
    var added: Int64?
    var description: String?
    /// 0.5 to 5 stars.
    var rating: Double?
    /// The base name of the cover files; a single safe path component.
    var hash: String?
    /// The cover's id from the host that set it; opaque.
    var coverHash: String?
    /// Whether the book is locked in Marvin, which protects it from changes on the device. Commands treat a locked
    /// book like any other. Nil if this version does not store it.
    var isLocked: Bool?
    /// The number of words; nil if they were not counted.
    var wordCount: UInt64?
    /// The part of the book that the user has read, from 0 to 1.
    var progress: Double?
    /// The size in bytes of the small cover in the database itself, where versions before 2.1 keep it; 0 for none.
    var coverBlobSize = 0
    /// Subjects, sorted.
    var tags: [String] = []
    /// Names of collections and of active flags, sorted.
    var collections: [String] = []
    /// The fields that this library does not have, or has in a form that is not understood.
    var unread = FieldSet()
    /// The fields that could not be read completely.
    var cut = FieldSet()

    /// The authors, separated.
    ///
    /// Marvin joins names with ", ", which cannot be told from a comma and a space in a name such as "Tolkien, J. R.
    /// R.". The companion plugin of the original driver splits in the same way.
    var authors: [String] {
        guard let author else { return [] }
        var names: [String] = []
        var rest = author[...]
        while names.count < TextBudget.list - 1, let comma = rest.firstRange(of: ", ") {
            names.append(String(rest[..<comma.lowerBound]).trimmed(of: \.isWhitespace))
            rest = rest[comma.upperBound...]
        }
        names.append(String(rest).trimmed(of: \.isWhitespace))
        return names.filter { !$0.isEmpty }
    }
}

/// A flag of a book, which Marvin shows, and its commands carry, like a collection.
enum LibraryFlag: String, CaseIterable {
    case new = "NEW"
    case readingList = "READING LIST"
    case read = "READ"

    /// The column of `Books` that contains it.
    var column: String {
        switch self {
        case .new: "NewFlag"
        case .readingList: "ReadingList"
        case .read: "IsRead"
        }
    }
}

/// The spelling of collection names in the library.
///
/// Marvin compares names by their bytes: from a name in another Unicode form it would make a second collection that
/// looks the same.
struct CollectionNames {
    private var names = NameTable<String>()

    /// The names of the collections that contain books.
    init(_ library: [LibraryBook]) {
        for book in library {
            for name in book.collections { names[name] = name }
        }
    }

    /// Each name in the library's spelling; a new name is unchanged.
    func asListed(_ names: [String]) -> [String] { names.map { self.names[$0] ?? $0 } }
}

/// A field of a book that can be changed. The raw values are the words in the descriptor's settable metadata.
enum MetadataField: String, CaseIterable, Sendable {
    case title
    case titleSort = "title_sort"
    case authors
    case authorSort = "author_sort"
    case series
    case seriesIndex = "series_index"
    case publisher
    case pubdate
    case description
    case tags
    case collections
    case rating
    case cover
    case locked
    case wordCount = "word_count"

    /// The field in a sentence, such as "the title".
    var phrase: String {
        switch self {
        case .titleSort: "sort title"
        case .authorSort: "authors' sort names"
        case .seriesIndex: "series index"
        case .pubdate: "publication date"
        case .locked: "lock"
        case .wordCount: "word count"
        default: rawValue
        }
    }
}

/// A set of fields that can be changed.
struct FieldSet: OptionSet, Codable, Hashable, Sendable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates a set of these fields.
    init(_ fields: [MetadataField]) {
        self.init(rawValue: fields.reduce(0) { $0 | Self.bit($1) })
    }

    func contains(_ field: MetadataField) -> Bool { rawValue & Self.bit(field) != 0 }

    mutating func insert(_ field: MetadataField) { self = FieldSet(rawValue: rawValue | Self.bit(field)) }

    /// The fields in a fixed order.
    var fields: [MetadataField] { MetadataField.allCases.filter(contains) }

    private static func bit(_ field: MetadataField) -> UInt32 {
        MetadataField.allCases.firstIndex(of: field).map { 1 << UInt32($0) } ?? 0
    }
}
