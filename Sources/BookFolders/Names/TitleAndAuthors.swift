/// Title and authors of a book as they are compared with those of another one.
///
/// Neither case nor the amount of white space counts. Punctuation does: “C” is another book than “C++”.
public struct TitleAndAuthors: Hashable, Sendable {
    private let title: String
    private let authors: String

    /// Nil when one of them is missing: a title alone makes no two books one.
    ///
    /// - Parameter authors: joined with `, `; where a name holds a comma, the texts of the same authors are the same all
    ///   the same.
    public init?(title: String?, authors: String?) {
        guard let title = title.map(Self.plain), !title.isEmpty, let authors = authors.map(Self.plain),
            !authors.isEmpty
        else { return nil }
        (self.title, self.authors) = (title, authors)
    }

    /// The same with the authors one by one.
    public init?(title: String?, authors: [String]?) {
        self.init(title: title, authors: authors?.joined(separator: ", "))
    }

    private static func plain(_ text: String) -> String {
        text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
