import OverlayHost

/// The fields of a booklist that the user can select, and their columns.
enum BookListingFields {
    /// A field and its column in a table.
    struct Field: Sendable {
        var name: String
        var column: TextTable.Column
    }

    /// Every field of a book; the three cover fields are combined.
    static let fields: [Field] = {
        var fields: [Field] = []
        for field in Book.fields {
            let name = field.settableWord == "cover" ? "cover" : field.name
            guard fields.last?.name != name else { continue }
            fields.append(Field(name: name, column: column(name, field.value)))
        }
        return fields
    }()

    /// The fields of a table if `--fields` is not given.
    static let usual = ["title", "authors", "collections", "size", "path"]

    /// The names of all fields.
    static var names: [String] { fields.map(\.name) }

    /// The columns of these fields.
    static func columns(_ names: [String]) -> [TextTable.Column] {
        names.enumerated().map { place, name in
            var column = fields.first { $0.name == name }?.column ?? .init(title: name)
            // The user needs the path for the next command. Only a column at an end can be printed on its own line.
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
