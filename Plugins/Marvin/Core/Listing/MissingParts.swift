/// What a listing cannot show of the library, for one line to a person.
struct MissingParts {
    /// Names that are said of each kind.
    private static let most = 3

    private let lacks: [String]
    private var books: [String] = []
    private var count = 0

    /// - Parameter lacks: tables and columns that the database lacks.
    init(_ lacks: [String]) { self.lacks = lacks }

    /// A book that is left out because its file is missing.
    mutating func addBook(_ book: LibraryBook) {
        count += 1
        if books.count < Self.most { books.append("“\(book.title ?? book.fileName)”") }
    }

    /// All of it; nil when nothing is missing.
    var sentence: String? {
        var parts: [String] = []
        if count > 0 {
            parts.append(
                (count == 1 ? "1 book in Marvin's library was" : "\(count) books in Marvin's library were")
                    + " left out because " + (count == 1 ? "its file is" : "their files are") + " missing: "
                    + Self.list(books, of: count))
        }
        if !lacks.isEmpty {
            let names = Self.list(Array(lacks.prefix(Self.most)), of: lacks.count)
            parts.append(
                "Marvin's library does not have these parts, so their values are not shown: "
                    + names)
        }
        return parts.isEmpty ? nil : parts.joined(separator: ". ") + "."
    }

    private static func list(_ names: [String], of count: Int) -> String {
        let rest = count - names.count
        return names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
