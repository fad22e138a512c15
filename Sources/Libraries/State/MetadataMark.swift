import BookModel
import Platform

/// What a book's metadata was at one time, as a short text: enough to tell that it has changed.
package struct MetadataMark: Hashable, Sendable {
    /// The names of the fields, in the order of the C contract.
    package let fields: [String]
    /// A number of all their values.
    package let number: UInt64

    package init(fields: [String], number: UInt64) { (self.fields, self.number) = (fields, number) }

    /// The mark of those values of a book that `isWanted` names and that are known.
    package init(_ book: Book, _ isWanted: (BookField) -> Bool) {
        var names: [String] = []
        var hash = FNV1a()
        for field in Self.fields where isWanted(field) {
            guard let text = Self.text(of: field, in: book) else { continue }
            names.append(field.name)
            hash.add(field.name.utf8)
            hash.add(0)
            hash.add(text.utf8)
            hash.add(0)
        }
        (fields, number) = (names, hash.value)
    }

    /// The mark of the same fields of another book.
    package func again(_ book: Book) -> MetadataMark {
        let names = Set(fields)
        return MetadataMark(book) { names.contains($0.name) }
    }

    /// The fields that say something of a book and can be compared; covers are not among them.
    package static let fields = Book.fields.filter { field in
        guard let word = field.settableWord else { return false }
        return word != "cover"
    }

    /// A value as text, without what no reader sees; nil if it is not known or empty.
    package static func text(of field: BookField, in book: Book) -> String? {
        let text: String? =
            switch field.value {
            case .text(let path): book[keyPath: path].map(trimmed)
            case .texts(let path):
                book[keyPath: path].map { values in
                    let values = values.map(trimmed).filter { !$0.isEmpty }
                    // The order of authors means something; that of tags does not.
                    return (field.name == "authors" ? values : values.sorted()).joined(separator: "\u{1F}")
                }
            case .number(let path): book[keyPath: path].map { "\(($0 * 100).rounded() / 100)" }
            case .count(let path): book[keyPath: path].map { "\($0)" }
            case .time(let path): book[keyPath: path].map { "\($0)" }
            case .flag(let path): book[keyPath: path].map { $0 ? "true" : "false" }
            case .bytes: nil
            }
        return text?.isEmpty == true ? nil : text
    }

    private static func trimmed(_ text: String) -> String {
        var rest = Substring(text)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest.drop(while: \.isWhitespace))
    }
}
