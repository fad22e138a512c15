import BookModel
import JSON

/// The values that a bibliography overlay stores in a book's `extra`.
///
/// All values are empty for a book of another app, or if `extra` is not a JSON object.
struct ReferenceValues {
    /// A linked file.
    struct File: Equatable {
        /// The path on the device; nil if the link has none.
        var path: String?
        /// Whether the file is on the device.
        var isOnDevice: Bool
        /// The size in bytes; nil if unknown.
        var size: UInt64?
        /// The modification time in seconds since 1970-01-01 00:00 UTC; nil if unknown.
        var modified: Int64?

        /// A text that changes with the file, as far as a listing shows this.
        var mark: String { "\(size.map { "\($0)" } ?? "") \(modified.map { "\($0)" } ?? "")" }
    }

    /// The key by which texts cite the work.
    private(set) var citeKey: String?
    /// The type of the entry, such as `article`.
    private(set) var type: String?
    /// The journal or book that contains the work.
    private(set) var journal: String?
    /// Identifiers such as a DOI, without their kinds.
    private(set) var identifiers: [String] = []
    /// The linked files in their order; nil if the overlay does not provide them.
    private(set) var files: [File]?
    /// Texts that are searched but not displayed, by the names of their columns.
    private(set) var searched: [(column: String, texts: [String])] = []
    /// All other texts.
    private(set) var others: [String] = []

    /// Reads the values of a book.
    init(_ book: Book) {
        guard let text = book.extra, !text.isEmpty else { return }
        do throws(JSONSyntaxError) {
            for member in try JSONValue(parsing: text).object?.members ?? [] { take(member) }
        } catch {
            // An unreadable value counts as missing; the rest of the book is still usable.
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
