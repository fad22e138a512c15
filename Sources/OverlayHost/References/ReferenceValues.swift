import BookModel
import JSON

/// What an overlay for bibliographies says about a book in the book's `extra`.
///
/// A book of another app has none of these values, and neither has one whose `extra` is not a JSON object.
struct ReferenceValues {
    /// A linked file.
    struct File: Equatable {
        /// Its path on the device; nil if its link has none.
        var path: String?
        /// Whether it is on the device.
        var isOnDevice: Bool
        /// Bytes; nil if they are not known.
        var size: UInt64?
        /// When it last changed, in seconds since 1970-01-01 00:00 UTC; nil if that is not known.
        var modified: Int64?

        /// What changes with the file, as far as a listing tells.
        var mark: String { "\(size.map { "\($0)" } ?? "") \(modified.map { "\($0)" } ?? "")" }
    }

    /// The key by which texts cite the work.
    private(set) var citeKey: String?
    /// The type of the entry, such as `article`.
    private(set) var type: String?
    /// The journal or book that the work is in.
    private(set) var journal: String?
    /// Identifiers such as a DOI, without their kinds.
    private(set) var identifiers: [String] = []
    /// The linked files in their order; nil if the overlay does not tell them.
    private(set) var files: [File]?
    /// Texts that are searched and not shown, by the names of their columns.
    private(set) var searched: [(column: String, texts: [String])] = []
    /// All other texts.
    private(set) var others: [String] = []

    /// The values of a book.
    init(_ book: Book) {
        guard let text = book.extra, !text.isEmpty else { return }
        do throws(JSONSyntaxError) {
            for member in try JSONValue(parsing: text).object?.members ?? [] { take(member) }
        } catch {
            // What cannot be read counts as missing; everything else about the book is known.
        }
    }

    private mutating func take(_ member: JSONObject.Member) {
        let value = member.value
        switch member.name {
        case "cite_key": citeKey = value.string
        case "type": type = value.string
        case "journal": journal = value.string
        case "identifiers": identifiers = Self.texts(value)
        case "search_texts":
            searched = (value.object?.members ?? []).map { ($0.name, Self.texts($0.value)) }
        case "files":
            files = value.elements?.map { file in
                File(
                    path: file.object?["path"]?.string,
                    isOnDevice: file.object?["state"]?.string == "on_device",
                    size: file.object?["size"]?.integer.flatMap { UInt64(exactly: $0) },
                    modified: file.object?["modified"]?.integer)
            }
        case "pubdate_precision": break
        default: others += Self.texts(value)
        }
    }

    /// The texts in a value, at any depth.
    private static func texts(_ value: JSONValue) -> [String] {
        if let text = value.string { return [text] }
        let values = value.elements ?? value.object?.members.map(\.value) ?? []
        return values.flatMap(texts)
    }

    /// Whether the book is known to have no file on the device.
    var hasNoFile: Bool { files.map { !$0.contains(where: \.isOnDevice) } ?? false }
}
