import OverlayHost

/// The fields of a booklist that a person can name, and the columns that show them.
enum BookListingFields {
    /// One field, and how a table shows it.
    struct Field: Sendable {
        var name: String
        var column: TextTable.Column
    }

    /// Every field of a book; the three of the cover are one.
    static let fields: [Field] = {
        var fields: [Field] = []
        for field in Book.fields {
            let name = field.settableWord == "cover" ? "cover" : field.name
            guard fields.last?.name != name else { continue }
            fields.append(Field(name: name, column: column(name, field.value)))
        }
        return fields
    }()

    /// The fields of a table without `--fields`.
    static let usual = ["title", "authors", "collections", "size", "path"]

    /// The names of all fields.
    static var names: [String] { fields.map(\.name) }

    /// The columns of these fields.
    static func columns(_ names: [String]) -> [TextTable.Column] {
        names.enumerated().map { place, name in
            var column = fields.first { $0.name == name }?.column ?? .init(title: name)
            // The path is what a person types next; only a column at an end can stand on its own line.
            column.isKey = name == "path" && (place == 0 || place == names.count - 1)
            return column
        }
    }

    private static func column(_ name: String, _ value: BookField.Value) -> TextTable.Column {
        let title = name.uppercased().replacing("_", with: " ")
        switch value {
        case .number, .count: return .init(title: title, alignment: .right)
        case .text, .texts, .time, .flag, .bytes:
            return .init(title: title, minimum: ["title": 16, "authors": 10][name] ?? 8)
        }
    }
}
