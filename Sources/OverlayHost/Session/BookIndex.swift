import Platform
import Publications

/// The accepted names of a book.
///
/// ```swift
/// func book(at path: String, in session: HostSession) throws -> BookRecord? {
///     try session.find([path], by: BookNaming.paths).first?.get()
/// }
/// ```
public enum BookNaming: Sendable, Hashable {
    /// Only the path. For programs that use an earlier list: the title of another book might be equal to the path of
    /// a book that is gone.
    case paths
    /// The path, the uuid, a unique title, or the cite key of a reference.
    case names
    /// The accepted values of `names`, or the unique beginning of a title, uuid or cite key.
    case beginnings
}

/// Finds books by path, uuid, or unique title, and references by a unique cite key. Titles are compared without case
/// and accents. Optionally, the unique beginning of a title, uuid or cite key is accepted.
///
/// A path is found regardless of Unicode composition: a device may list “é” as two scalars where a keyboard produces
/// one. The record has the path that the overlay listed.
package struct BookIndex: Sendable {
    /// The largest number of candidates in an error message.
    private static let listed = 5
    /// The shortest accepted beginning of a uuid. Shorter ones may be words.
    private static let shortestUUID = 4

    private let books: BookList
    /// The option that names the app, for commands in hints.
    private let appOption: String
    private var isPrepared = false
    /// Swift compares strings by canonical equivalence.
    private var byPath: [String: [Int]] = [:]
    private var byUUID: [String: [Int]] = [:]
    private var byTitle: [String: [Int]] = [:]
    /// Cite keys in lower case, because other programs ignore case in them too; nil until first needed.
    private var byCiteKey: [String: [Int]]?
    /// The number of books in each folder; nil until first needed.
    private var folders: [String: Int]?

    /// Creates an index of a list. The complete index is built only when a name is not a path.
    ///
    /// - Parameter appOption: the option that names the app, after a space, for commands in hints; empty if it need not
    ///   be named.
    package init(_ books: BookList, appOption: String = "") {
        (self.books, self.appOption) = (books, appOption)
    }

    /// Finds the book with a name.
    ///
    /// - Parameter naming: the accepted names.
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
        if let folder = folder(name) { return .failure(folder) }
        return .failure(
            HostError(
                .notFound, "No book has this \(citeKeys.isEmpty ? Self.names : Self.namesOfReferences).",
                subject: name, hint: "List the books with: overlayhost books\(appOption)", hintCode: .list))
    }

    /// The accepted names in messages, for books and for references.
    private static let names = "path, uuid or title"
    private static let namesOfReferences = "path, uuid, title or cite key"

    /// Whether a name looks like a path or a uuid rather than a title.
    static func mayBeKey(_ name: String) -> Bool {
        name.hasSlash || !LocalBook.fileExtension(of: name).isEmpty
            || PublicationIdentifier.canonicalUUID(name) != nil
    }

    /// The books with this path or uuid, ignoring titles.
    ///
    /// - Parameter naming: the accepted names. uuids are not accepted for `paths`.
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
        // A path must be complete.
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
            "'\(books[index].title ?? books[index].uuid ?? "")' (\(books[index].path))"
        }
        let names = hasCiteKeys ? "title, uuid or cite key" : "title or uuid"
        return .failure(
            HostError(
                .invalidArgument, "\(found.count) books have a \(names) that begins like this: \(list).",
                subject: name, hint: "Give more of the title, or use the book's path."))
    }

    /// The error for the name of a folder that contains books; nil if there is no such folder.
    private mutating func folder(_ name: String) -> HostError? {
        let folder = name.endsInSlash ? String(name.dropLast()) : name
        guard let count = preparedFolders()[folder] else { return nil }
        return HostError(
            .notFound, "It is a folder with \(count) \(count == 1 ? "book" : "books"), and not a book.",
            subject: name,
            hint: "Use the path of a book. To copy all of them: overlayhost get "
                + "\((folder + "/").shellWord)\(appOption)", hintCode: .list)
    }

    /// The number of books in each folder and its subfolders.
    private mutating func preparedFolders() -> [String: Int] {
        if let folders { return folders }
        var counts: [String: Int] = [:]
        for (path, places) in byPath {
            var folder = path.pathFolder
            while let name = folder, !name.isEmpty {
                counts[String(name), default: 0] += places.count
                folder = String(name).pathFolder
            }
        }
        folders = counts
        return counts
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

    /// The books of each cite key in lower case.
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

    /// The text without case, accents, width and repeated spaces.
    static func folded(_ text: String) -> String {
        text.folded.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
