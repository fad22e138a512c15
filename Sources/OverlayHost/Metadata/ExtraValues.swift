import BookModel
import JSON

/// The values in a book's `extra`: those that documents show beside the fields of the book, and the faults of others.
package struct ExtraValues {
    /// Names that documents of books use for something else.
    private static let taken = Set(
        ["annotations", "app", "cover", "device", "extra", "file", "overlay", "path", "source", "status"]
            + Book.fields.map(\.name))
    /// Texts that are only searched.
    private static let searched = "search_texts"

    /// The members that documents show, in order.
    package private(set) var members: [JSONObject.Member] = []
    /// What is wrong with the others, in one sentence each.
    package private(set) var faults: [String] = []

    /// Reads the text of `extra`.
    package init(_ text: String) {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: text)
        } catch {
            faults.append("It is not JSON.")
            return
        }
        guard let object = value.object else {
            faults.append("It is not a JSON object.")
            return
        }
        for member in object.members where member.name != Self.searched {
            if let fault = Self.fault(member) { faults.append(fault) } else { members.append(member) }
        }
    }

    private static func fault(_ member: JSONObject.Member) -> String? {
        if taken.contains(member.name) { return "Its member \(member.name) has the name of another value." }
        if isSound(member) { return nil }
        return known.contains(member.name)
            ? "Its member \(member.name) does not have the type that docs/json/book.schema.json gives it."
            : "The name of a member contains a control character."
    }

    /// Names for which documents define the type of the value.
    private static let known: Set<String> = [
        "cite_key", "type", "library", "journal", "pubdate_precision", "identifiers", "files",
    ]

    /// Whether a member has the type that documents of books give it, or a name that they do not know.
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
}
