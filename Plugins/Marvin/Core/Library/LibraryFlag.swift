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
