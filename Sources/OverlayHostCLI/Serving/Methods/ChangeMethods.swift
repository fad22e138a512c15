import JSON
import OverlayHost
import Platform
import Publications

/// Methods that change the books of a session.
enum ChangeMethods {
    static let all: [ServedMethod] = [
        .session("upload", ["books", "collections", "on_conflict", "library", "may_lose_marks"], upload),
        .session("delete", ["books", "paths_only"], delete),
        .session("update", ["books", "paths_only"], update),
        .session("collections", ["books", "add", "remove"], collections),
        .session(
            "sync",
            [
                "source", "dry_run", "delete", "max_delete", "prefer", "as_folder", "list_others",
                "may_lose_marks", "search", "library", "wanted",
            ],
            sync),
    ]

    // MARK: upload and delete

    @Sendable private static func upload(
        _ session: ServedSession, _ request: PendingRequest
    ) throws(HostError) -> JSONValue {
        let parameters = request.parameters
        let books = try parameters.requiredObjects("books")
        var options = UploadRequest(
            collections: try parameters.texts("collections") ?? [], library: try parameters.text("library"),
            mayLoseMarks: try parameters.flag("may_lose_marks") ?? false)
        options.onConflict = try parameters.word("on_conflict", UploadRequest.Conflict.self)
        if options.collections.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
            throw parameters.wrong("collections", "a list of names")
        }
        var files: [String] = []
        for book in books {
            let upload = try BookUpload(book)
            files.append(upload.file)
            options.descriptions.append(upload.description)
        }
        return try changing(session, request) { host throws(HostError) in
            try withRecords(host.upload(files, options), session, host)
        }
    }

    @Sendable private static func delete(
        _ session: ServedSession, _ request: PendingRequest
    ) throws(HostError) -> JSONValue {
        let names = try request.parameters.requiredTexts("books")
        let naming = try request.naming()
        return try changing(session, request) { host throws(HostError) in
            let result = host.delete(names, by: naming)
            return try withSpace(BatchDocument.json(result), result.failure, host)
        }
    }

    /// Lets `body` change books. Afterwards the known state of the books is outdated.
    private static func changing(
        _ session: ServedSession, _ request: PendingRequest,
        _ body: (HostSession) throws(HostError) -> ServedSession.Outcome
    ) throws(HostError) -> JSONValue {
        try session.perform(request, repeats: false) { host throws(HostError) in
            var hasChanged = true
            defer { if hasChanged { session.forgetBooks() } }
            let outcome = try body(host)
            hasChanged = outcome.mayHaveChanged
            return outcome
        }
    }

    /// The result of an upload, with the records of the books on the device and the free space.
    private static func withRecords(
        _ result: BatchResult, _ session: ServedSession, _ host: HostSession
    ) throws(HostError) -> ServedSession.Outcome {
        let document = try adding(records: result, session, host)
        return try withSpace(document, result.failure, host)
    }

    private static func withSpace(
        _ document: JSONValue, _ failure: HostError?, _ host: HostSession
    ) throws(HostError) -> ServedSession.Outcome {
        guard failure == nil, var object = document.object else {
            return ServedSession.Outcome(document, failure)
        }
        do throws(HostError) {
            object["space"] = SessionMethods.json(try host.space())
            return ServedSession.Outcome(.object(object))
        } catch {
            // Completed changes are reported. The error ends the connection.
            object["error"] = ErrorReport.body(error)
            return ServedSession.Outcome(.object(object), error)
        }
    }

    /// Adds to the rows the records of their books after the change.
    private static func adding(
        records result: BatchResult, _ session: ServedSession, _ host: HostSession
    ) throws(HostError) -> JSONValue {
        let document = BatchDocument.json(result)
        let paths = result.rows.map { $0.status == .failed ? nil : $0.path }
        let wanted = paths.compactMap { $0 }
        guard result.failure == nil, !wanted.isEmpty, var object = document.object,
            var rows = object["results"]?.elements
        else { return document }
        let found: [Result<BookRecord, HostError>]
        do throws(HostError) {
            found = try host.find(wanted)
        } catch {
            // The rows show what was done.
            return document
        }
        var next = found.makeIterator()
        for place in paths.indices where paths[place] != nil {
            guard case .success(let book)? = next.next(), var row = rows[place].object else { continue }
            row["book"] = BookMethods.record(book.book)
            rows[place] = .object(row)
        }
        object["results"] = .array(rows)
        return .object(object)
    }

    // MARK: update

    @Sendable private static func update(
        _ session: ServedSession, _ request: PendingRequest
    ) throws(HostError) -> JSONValue {
        var wanted: [(name: String, changes: BookChanges)] = []
        for book in try request.parameters.requiredObjects("books") {
            try book.checkNames(["book", "changes"])
            guard let changes = try book.object("changes") else { throw book.wrong("changes", "an object") }
            wanted.append((try book.requiredText("book"), try BookValues(changes).changes()))
        }
        let naming = try request.naming()
        return try changing(session, request) { host throws(HostError) in
            try host.check(wanted.map(\.changes))
            let result = try update(wanted, naming, session, host)
            return ServedSession.Outcome(try adding(records: result, session, host), result.failure)
        }
    }

    /// Changes each of the books, which may be named by path, UUID, title or cite key.
    private static func update(
        _ wanted: [(name: String, changes: BookChanges)], _ naming: BookNaming, _ session: ServedSession,
        _ host: HostSession
    ) throws(HostError) -> BatchResult {
        let found = try host.find(wanted.map(\.name), by: naming)
        var rows = [ItemRow?](repeating: nil, count: wanted.count)
        var places: [Int] = []
        var changes: [(path: String, changes: BookChanges)] = []
        for (place, result) in found.enumerated() {
            switch result {
            case .failure(let error): rows[place] = ItemRow(item: wanted[place].name, failure: error)
            case .success(let book):
                places.append(place)
                changes.append((book.path, wanted[place].changes))
                if wanted[place].changes.cover != nil {
                    session.covers.forget(book.book)
                }
            }
        }
        guard !changes.isEmpty else { return BatchResult(rows: rows.compactMap { $0 }) }
        let result = host.update(each: changes)
        for (place, row) in zip(places, result.rows) {
            var row = row
            row.item = wanted[place].name
            rows[place] = row
        }
        return BatchResult(rows: rows.compactMap { $0 }, failure: result.failure)
    }

    // MARK: collections and sync

    @Sendable private static func collections(
        _ session: ServedSession, _ request: PendingRequest
    ) throws(HostError) -> JSONValue {
        let parameters = request.parameters
        let names = try parameters.texts("books")
        let (add, remove) = (try parameters.texts("add") ?? [], try parameters.texts("remove") ?? [])
        guard let names else {
            guard add.isEmpty, remove.isEmpty else {
                throw HostError(
                    .parameter, "This parameter is missing.", subject: "books",
                    hint: "Name the books to add to or remove from collections.")
            }
            return try session.perform(request) { host throws(HostError) in
                ServedSession.Outcome(try CollectionsDocument(host).json)
            }
        }
        return try changing(session, request) { host throws(HostError) in
            let result = host.editCollections(names, add: add, remove: remove)
            return ServedSession.Outcome(BatchDocument.json(result), result.failure)
        }
    }

    @Sendable private static func sync(
        _ session: ServedSession, _ request: PendingRequest
    ) throws(HostError) -> JSONValue {
        let parameters = request.parameters
        let source = try parameters.localPath("source")
        let prefers = try parameters.word("prefer", SyncPreference.self)
        let wanted = SyncRequest(
            source: source, deletes: try parameters.flag("delete") ?? false,
            mostRemovals: try parameters.count("max_delete").map { Int($0) }, prefers: prefers,
            asFolder: try parameters.flag("as_folder") ?? false,
            isDryRun: try parameters.flag("dry_run") ?? false,
            listsOthers: try parameters.flag("list_others") ?? false,
            mayLoseMarks: try parameters.flag("may_lose_marks") ?? false,
            search: try parameters.texts("search") ?? [], library: try parameters.text("library"),
            wanted: try parameters.texts("wanted") ?? [])
        return try changing(session, request) { host throws(HostError) in
            let result = try host.sync(wanted)
            return ServedSession.Outcome(
                SyncDocument(result, host, isDryRun: wanted.isDryRun, preference: prefers).json,
                result.results?.failure)
        }
    }
}

/// A book that a client wants to upload.
private struct BookUpload {
    let file: String
    let description: LibraryDescription

    init(_ book: RequestParameters) throws(HostError) {
        try book.checkNames(["file", "name", "uuid", "metadata", "cover", "columns"])
        guard let file = try book.localPath("file") else {
            _ = try book.requiredText("file")
            throw book.wrong("file", "an absolute path")
        }
        self.file = file
        let name = try book.text("name")
        if let name, name.isEmpty || name.hasSlash || name.utf8.contains(0) {
            throw book.wrong("name", "a file name without folders")
        }
        var known = try book.object("metadata").map { metadata throws(HostError) in
            try BookValues(metadata).metadata()
        }
        var columns: [PackageFile.UserColumn] = []
        if let given = try book.object("columns") {
            for column in given.members {
                guard let values = try given.object(column.name) else { continue }
                try values.checkNames(["heading", "type", "value"])
                columns.append(
                    PackageFile.UserColumn(
                        lookupName: column.name, heading: try values.text("heading") ?? "",
                        type: try values.text("type") ?? "", value: values.value("value") ?? .null))
            }
            known = known ?? Book()
        }
        let usesSidecar = known == nil
        var said = known ?? Book()
        if let uuid = try book.text("uuid") {
            guard let canonical = PublicationIdentifier.canonicalUUID(uuid) else {
                throw book.wrong("uuid", "of the form xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
            }
            said.uuid = canonical
        }
        description = LibraryDescription(
            book: said, coverFile: try book.localPath("cover"), columns: columns,
            usesSidecar: usesSidecar, fileName: name)
    }
}

/// A client's values for a book, named as in a record.
private struct BookValues {
    private let values: RequestParameters

    init(_ values: RequestParameters) { self.values = values }

    private static let both = [
        "title", "title_sort", "authors", "author_sort", "series", "series_index", "publisher", "pubdate",
        "description", "tags", "rating",
    ]

    /// A library's metadata of a book; null or missing values are unknown.
    func metadata() throws(HostError) -> Book {
        try values.checkNames(Self.both)
        var book = Book()
        for field in Book.fields where Self.both.contains(field.name) && values.has(field.name) {
            try set(field, of: &book)
        }
        return book
    }

    /// The changes to a book; null clears a value.
    func changes() throws(HostError) -> BookChanges {
        let names = Self.both + ["collections", "locked", "word_count"]
        try values.checkNames(names + ["cover"])
        var changes = BookChanges()
        for member in values.members {
            guard let field = Book.field(member.name), names.contains(member.name) else { continue }
            if values.has(member.name) {
                try set(field, of: &changes)
            } else {
                Self.clear(field, of: &changes)
            }
        }
        if let cover = try values.localPath("cover") { changes.cover = try CoverFile.read(cover) }
        return changes
    }

    private func set(_ field: BookField, of book: inout Book) throws(HostError) {
        switch field.value {
        case .text(let place):
            var text = try values.text(field.name)
            if field.name == "pubdate", let date = text, !date.isEmpty {
                // A time after the day is ignored.
                let day = date.prefix { $0 != "T" }
                guard CivilDay.isDay(day) else { throw values.wrong(field.name, "a date such as 2023-02-15") }
                text = String(day)
            }
            book[keyPath: place] = text
        case .texts(let place):
            // An empty name is ignored.
            book[keyPath: place] = try values.texts(field.name)?.filter { !$0.isEmpty }
        case .number(let place):
            let range = field.name == "rating" ? 0...5.0 : 0...1_000_000.0
            book[keyPath: place] = try values.number(field.name, range)
        case .count(let place): book[keyPath: place] = try values.count(field.name)
        case .flag(let place): book[keyPath: place] = try values.flag(field.name)
        case .time, .bytes: break
        }
    }

    private static func clear(_ field: BookField, of book: inout Book) {
        switch field.value {
        case .text(let place): book[keyPath: place] = ""
        case .texts(let place): book[keyPath: place] = []
        case .number(let place): book[keyPath: place] = 0
        case .count(let place): book[keyPath: place] = 0
        case .flag(let place): book[keyPath: place] = false
        case .time, .bytes: break
        }
    }
}
