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
