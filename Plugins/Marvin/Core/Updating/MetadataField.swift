/// What of a book can be changed; the words of the descriptor's settable metadata.
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

    /// The word in a sentence such as "the title".
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
