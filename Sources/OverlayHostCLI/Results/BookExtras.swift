import JSON
import OverlayHost

/// What a reader app knows about a book besides the common fields: the members of the book's `extra`.
struct BookExtras {
    /// Names with another meaning in the documents of books, and texts that are only searched.
    private static let reserved = Set(
        [
            "annotations", "app", "cover", "device", "extra", "file", "overlay", "path", "search_texts",
            "source", "status",
        ] + Book.fields.map(\.name))

    /// The members in order; empty if the book has no extra values, or they are not a JSON object. Members that the
    /// documents of books define in another way are left out (book.schema.json).
    let members: [JSONObject.Member]

    init(_ book: BookRecord) {
        guard let text = book.extra else {
            members = []
            return
        }
        do throws(JSONSyntaxError) {
            members = (try JSONValue(parsing: text).object?.members ?? []).filter {
                !Self.reserved.contains($0.name) && Self.isSound($0)
            }
        } catch {
            // Only the overlay could correct this, and the rest of the book can still be shown.
            members = []
        }
    }

    /// Whether a member has the type that the documents of books give it; true for names that they do not know.
    private static func isSound(_ member: JSONObject.Member) -> Bool {
        switch member.name {
        case "cite_key", "type", "library", "journal": member.value.string != nil
        case "pubdate_precision": member.value.string.map(["year", "month", "day"].contains) ?? false
        case "identifiers":
            member.value.object.map { $0.members.allSatisfy { $0.value.string != nil } } ?? false
        case "files": member.value.elements.map { $0.allSatisfy(isFile) } ?? false
        default: !member.name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
    }

    private static func isFile(_ value: JSONValue) -> Bool {
        guard let file = value.object, let path = file["path"], path == .null || path.string != nil else {
            return false
        }
        return file["state"]?.string.map(["on_device", "can_be_sent", "missing"].contains) ?? false
    }

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
