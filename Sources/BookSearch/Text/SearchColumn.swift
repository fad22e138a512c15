/// A part of a book's description or text that can be searched.
public enum SearchColumn: String, Sendable, Hashable, CaseIterable {
    case key, title, author, editor, container, publisher, keywords, notes, identifiers, groups,
        year,
        type, path, other
    /// The text inside the book's file.
    case text

    /// The parts that are known without reading the book's file.
    static let described = allCases.filter { $0 != .text }

    /// The column with a name, ignoring case; nil if there is none.
    init?(typed name: String) {
        switch name.lowercased() {
        case "authors": self = .author
        case "editors": self = .editor
        case "tag", "tags", "keyword": self = .keywords
        case "journal", "series", "booktitle": self = .container
        case "group", "collection", "collections": self = .groups
        case "doi", "isbn", "issn", "id", "identifier", "uuid": self = .identifiers
        case "abstract", "note", "comment", "comments", "description": self = .notes
        case "date", "pubdate": self = .year
        case "format": self = .type
        case "file": self = .path
        case let name: self.init(rawValue: name)
        }
    }

    /// The name of the column in the tables.
    var name: String { "c_\(rawValue)" }

    /// The weight of a match in the column.
    var weight: Double {
        switch self {
        case .title: 10
        case .author, .key: 8
        case .editor, .keywords, .identifiers, .year: 4
        case .container, .groups, .type: 3
        case .notes, .publisher, .other: 1
        case .path, .text: 0.5
        }
    }
}
