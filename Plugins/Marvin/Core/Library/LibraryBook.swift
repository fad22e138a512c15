import BookFolders
import Platform

/// One row of Marvin's library with what belongs to it in other tables.
struct LibraryBook: Equatable, Sendable {
    /// The key in `Books`; nil in a library without keys.
    var id: Int64?
    /// Name of the file in the folder of documents: a single safe path component.
    var fileName: String
    var uuid: String?
    var title: String?
    /// The authors as Marvin stores them: one text, several names joined with ", ".
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
    /// Names the cover files; a single safe path component.
    var hash: String?
    /// What the host that set the cover called it; opaque.
    var coverHash: String?
    /// Whether the book is locked in Marvin, which protects it from the person at the device. Commands treat a
    /// locked book as any other. nil: this version does not say.
    var isLocked: Bool?
    /// nil: not counted.
    var wordCount: UInt64?
    /// How far the person has read, 0 to 1.
    var progress: Double?
    /// Bytes of the small cover in the database itself, as versions before 2.1 keep it; 0: none.
    var coverBlobSize = 0
    /// Subjects, sorted.
    var tags: [String] = []
    /// Names of collections and of active flags, sorted.
    var collections: [String] = []
    /// What this library does not show, or shows in a way that is not understood.
    var unread = FieldSet()
    /// What it shows and could not be taken whole.
    var cut = FieldSet()

    /// The authors one by one.
    ///
    /// Marvin joins names with ", ", and nothing tells that from a name that itself holds a comma and a space, such as
    /// "Tolkien, J. R. R."; the companion plugin of the original driver splits the same way.
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

/// A flag of a book that Marvin shows, and its commands carry, as if it were a collection.
enum LibraryFlag: String, CaseIterable {
    case new = "NEW"
    case readingList = "READING LIST"
    case read = "READ"

    /// The column of `Books` that keeps it.
    var column: String {
        switch self {
        case .new: "NewFlag"
        case .readingList: "ReadingList"
        case .read: "IsRead"
        }
    }
}

/// How the library spells the names of its collections.
///
/// Marvin compares names by their bytes: given a name that is composed in another way, it would make a second collection
/// that looks the same.
struct CollectionNames {
    private var names = NameTable<String>()

    /// The collections that books are in.
    init(_ library: [LibraryBook]) {
        for book in library {
            for name in book.collections { names[name] = name }
        }
    }

    /// Each name as the library spells it; a new one as it is.
    func asListed(_ names: [String]) -> [String] { names.map { self.names[$0] ?? $0 } }
}
