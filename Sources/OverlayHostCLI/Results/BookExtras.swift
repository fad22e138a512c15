import JSON
import OverlayHost

/// What a reader app knows about a book besides the common fields: the members of the book's `extra`.
struct BookExtras {
    /// The members in order; empty if the book has no extra values. Members that the documents of books define in another
    /// way are left out (book.schema.json), because only the overlay could correct them.
    let members: [JSONObject.Member]

    init(_ book: BookRecord) { members = book.extra.map { ExtraValues($0).members } ?? [] }

    private subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    /// All fields of the app's own record, if the overlay provides them.
    var fields: JSONValue? { self["fields"] }

    /// Names and values for people: the files with their state, other values, and finally the fields of the app's
    /// record.
    var lines: [(String, String?)] {
        var lines: [(String, String?)] = []
        for file in self["files"]?.elements ?? [] {
            let state = file.object?["state"]?.string.map { $0.replacing("_", with: " ") } ?? ""
            lines.append(("File", "\(file.object?["path"]?.string ?? "(no path)"), \(state)"))
        }
        for member in members where member.name != "files" && member.name != "fields" {
            let name = member.name.replacing("_", with: " ")
            lines.append((name.prefix(1).uppercased() + name.dropFirst(), Self.text(member.value)))
        }
        for member in fields?.object?.members ?? [] { lines.append((member.name, Self.text(member.value))) }
        return lines
    }

    private static func text(_ value: JSONValue) -> String {
        if let text = value.string { return text }
        if let texts = value.strings { return texts.joined(separator: ", ") }
        if let members = value.object?.members {
            return members.map { "\($0.name) \(text($0.value))" }.joined(separator: ", ")
        }
        return value.text()
    }
}
