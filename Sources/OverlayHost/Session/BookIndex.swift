import Foundation
import Publications

/// Finds books by what a person writes: a path, a uuid, or a unique title without regard to case and accents.
///
/// A path is found however its characters are composed: a device may list “é” as two scalars where a keyboard writes one. The
/// path of the record that is found is the one that the overlay listed.
package struct BookIndex: Sendable {
    /// Candidates that an error lists at most.
    private static let listed = 5

    private let books: BookList
    private var isPrepared = false
    /// Swift compares strings by canonical equivalence.
    private var byPath: [String: [Int]] = [:]
    private var byUUID: [String: [Int]] = [:]
    private var byTitle: [String: [Int]] = [:]

    /// An index of a booklist; made in full only when a name is not a path.
    package init(_ books: BookList) { self.books = books }

    /// The book that `name` means.
    package mutating func find(_ name: String) -> Result<BookRecord, HostError> {
        if let position = books.position(ofPath: name) { return .success(books[position]) }
        prepare()
        if let alike = byPath[name] { return one(of: alike, name, "path") }
        let uuid = name.lowercased()
        for key in [uuid, uuid.hasPrefix("urn:uuid:") ? String(uuid.dropFirst(9)) : "urn:uuid:" + uuid] {
            if let found = byUUID[key] { return one(of: found, name, "uuid") }
        }
        guard let titled = byTitle[Self.folded(name)] else {
            return .failure(
                HostError(
                    .notFound, "No book has this path, uuid or title.", subject: name,
                    hint: "List the books with: overlayhost books."))
        }
        let exact = titled.filter { books[$0].title == name }
        return one(of: exact.count == 1 ? exact : titled, name, "title")
    }

    /// Whether a name looks like a path or a uuid rather than a title.
    static func mayBeKey(_ name: String) -> Bool {
        name.contains("/") || !LocalBook.fileExtension(of: name).isEmpty
            || PublicationIdentifier.canonicalUUID(name) != nil
    }

    /// The books with this path or uuid, without regard to titles.
    mutating func find(key name: String) -> [BookRecord] {
        if let position = books.position(ofPath: name) { return [books[position]] }
        prepare()
        let uuid = name.lowercased()
        let key = uuid.hasPrefix("urn:uuid:") ? String(uuid.dropFirst(9)) : uuid
        return (byUUID[key] ?? byUUID["urn:uuid:" + key] ?? []).map { books[$0] }
    }

    private func one(of found: [Int], _ name: String, _ field: String) -> Result<BookRecord, HostError> {
        if found.count == 1 { return .success(books[found[0]]) }
        let shown = found.prefix(Self.listed).map { index in
            let authors = books[index].authors?.joined(separator: ", ") ?? ""
            return authors.isEmpty ? books[index].path : "\(books[index].path) (\(authors))"
        }
        let rest = found.count - shown.count
        let list = shown.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
        return .failure(
            HostError(
                .invalidArgument, "\(found.count) books have this \(field): \(list).", subject: name,
                hint: "Use the book's path instead."))
    }

    private mutating func prepare() {
        guard !isPrepared else { return }
        isPrepared = true
        for (index, book) in books.enumerated() {
            byPath[book.path, default: []].append(index)
            if let uuid = book.uuid, !uuid.isEmpty { byUUID[uuid.lowercased(), default: []].append(index) }
            if let title = book.title { byTitle[Self.folded(title), default: []].append(index) }
        }
    }

    /// The text without regard to case, accents, width and repeated space.
    static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
