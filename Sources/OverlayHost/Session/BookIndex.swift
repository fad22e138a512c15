import Platform
import Publications

/// What a name of a book may be.
public enum BookNaming: Sendable, Hashable {
    /// Its path only: for programs that work with a list from before, which must not meet another book whose title happens to
    /// be the path of one that is gone.
    case paths
    /// Its path, its uuid, its title if no other book has it, or the cite key of a reference.
    case names
    /// Its name, or the beginning of a title, uuid or cite key that no other book has.
    case beginnings
}

/// Finds books by what a person writes: a path, a uuid, or a unique title without regard to case and accents, and references by
/// a unique cite key; where that is wanted, also by the unique beginning of a title, uuid or cite key.
///
/// A path is found however its characters are composed: a device may list “é” as two scalars where a keyboard writes one. The
/// path of the record that is found is the one that the overlay listed.
package struct BookIndex: Sendable {
    /// Candidates that an error lists at most.
    private static let listed = 5
    /// Letters of a uuid below which it is not looked for by its beginning: fewer are words, too.
    private static let shortestUUID = 4

    private let books: BookList
    private var isPrepared = false
    /// Swift compares strings by canonical equivalence.
    private var byPath: [String: [Int]] = [:]
    private var byUUID: [String: [Int]] = [:]
    private var byTitle: [String: [Int]] = [:]
    /// Cite keys in lower case, because programs compare them so; nil as long as no name needed them.
    private var byCiteKey: [String: [Int]]?

    /// An index of a booklist; made in full only when a name is not a path.
    package init(_ books: BookList) { self.books = books }

    /// The book that `name` means.
    ///
    /// - Parameter naming: what `name` may be.
    package mutating func find(_ name: String, by naming: BookNaming = .names) -> Result<
        BookRecord, HostError
    > {
        if let position = books.position(ofPath: name) { return .success(books[position]) }
        prepare()
        if let alike = byPath[name] { return one(of: alike, name, "path") }
        guard naming != .paths else {
            return .failure(
                HostError(.notFound, "No book has this path.", subject: name, hint: "List the books again."))
        }
        let uuid = name.lowercased()
        for key in [uuid, uuid.hasPrefix("urn:uuid:") ? String(uuid.dropFirst(9)) : "urn:uuid:" + uuid] {
            if let found = byUUID[key] { return one(of: found, name, "uuid") }
        }
        if let titled = byTitle[Self.folded(name)] {
            let exact = titled.filter { books[$0].title == name }
            return one(of: exact.count == 1 ? exact : titled, name, "title")
        }
        let citeKeys = preparedCiteKeys()
        if let cited = citeKeys[name.lowercased()] { return one(of: cited, name, "cite key") }
        let begun = naming == .beginnings ? places(beginning: name, citeKeys) : []
        guard begun.isEmpty else { return one(of: begun, beginning: name, hasCiteKeys: !citeKeys.isEmpty) }
        return .failure(
            HostError(
                .notFound, "No book has this \(citeKeys.isEmpty ? Self.names : Self.namesOfReferences).",
                subject: name, hint: "List the books with: overlayhost books."))
    }

    /// What names a book, and what names a reference.
    private static let names = "path, uuid or title"
    private static let namesOfReferences = "path, uuid, title or cite key"

    /// Whether a name looks like a path or a uuid rather than a title.
    static func mayBeKey(_ name: String) -> Bool {
        name.hasSlash || !LocalBook.fileExtension(of: name).isEmpty
            || PublicationIdentifier.canonicalUUID(name) != nil
    }

    /// The books with this path or uuid, without regard to titles.
    ///
    /// - Parameter naming: what `name` may be; without uuids for `paths`.
    mutating func find(key name: String, by naming: BookNaming) -> [BookRecord] {
        if let position = books.position(ofPath: name) { return [books[position]] }
        guard naming != .paths else { return [] }
        prepare()
        let uuid = name.lowercased()
        let key = uuid.hasPrefix("urn:uuid:") ? String(uuid.dropFirst(9)) : uuid
        return (byUUID[key] ?? byUUID["urn:uuid:" + key] ?? []).map { books[$0] }
    }

    /// The books with a title, uuid or cite key that begins with a name, in the order of the list.
    private func places(beginning name: String, _ citeKeys: [String: [Int]]) -> [Int] {
        let title = Self.folded(name)
        let lower = name.lowercased()
        let uuid = lower.hasPrefix("urn:uuid:") ? String(lower.dropFirst(9)) : lower
        // A path is whole, or wrong.
        guard !title.isEmpty, !name.isAbsolutePath else { return [] }
        var found: Set<Int> = []
        for (folded, places) in byTitle where folded.hasPrefix(title) { found.formUnion(places) }
        for (key, places) in citeKeys where key.hasPrefix(lower) { found.formUnion(places) }
        if uuid.utf8.count >= Self.shortestUUID {
            for (known, places) in byUUID where known.hasPrefix(uuid) || known.hasPrefix("urn:uuid:" + uuid) {
                found.formUnion(places)
            }
        }
        return found.sorted()
    }

    private func one(of found: [Int], _ name: String, _ field: String) -> Result<BookRecord, HostError> {
        if found.count == 1 { return .success(books[found[0]]) }
        let list = Self.listed(found) { index in
            let authors = books[index].authors?.joined(separator: ", ") ?? ""
            return authors.isEmpty ? books[index].path : "\(books[index].path) (\(authors))"
        }
        return .failure(
            HostError(
                .invalidArgument, "\(found.count) books have this \(field): \(list).", subject: name,
                hint: "Use the book's path instead."))
    }

    private func one(
        of found: [Int], beginning name: String, hasCiteKeys: Bool
    ) -> Result<BookRecord, HostError> {
        if found.count == 1 { return .success(books[found[0]]) }
        let list = Self.listed(found) { index in
            "“\(books[index].title ?? books[index].uuid ?? "")” (\(books[index].path))"
        }
        let names = hasCiteKeys ? "title, uuid or cite key" : "title or uuid"
        return .failure(
            HostError(
                .invalidArgument, "\(found.count) books have a \(names) that begins like this: \(list).",
                subject: name, hint: "Give more of the title, or use the book's path."))
    }

    private static func listed(_ found: [Int], _ text: (Int) -> String) -> String {
        let rest = found.count - listed
        return found.prefix(listed).map(text).joined(separator: "; ")
            + (rest > 0 ? "; and \(rest) more" : "")
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

    /// The books of each cite key, in lower case.
    private mutating func preparedCiteKeys() -> [String: [Int]] {
        if let byCiteKey { return byCiteKey }
        var places: [String: [Int]] = [:]
        for (index, book) in books.enumerated() {
            guard let key = ReferenceValues(book.book).citeKey, !key.isEmpty else { continue }
            places[key.lowercased(), default: []].append(index)
        }
        byCiteKey = places
        return places
    }

    /// The text without regard to case, accents, width and repeated space.
    static func folded(_ text: String) -> String {
        text.folded.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
