import JSON
import OverlayHost
import Platform

/// Methods that read the books of a session.
enum BookMethods {
    static let all: [ServedMethod] = [
        .session("books", ["since", "cached", "covers", "annotations", "search", "texts"], books),
        .session("info", ["book", "file", "cover"], info),
        .session("get", ["books", "folder", "paths_only"], get),
        .session("annotations", ["books", "paths_only"], annotations),
    ]

    // MARK: the booklist

    /// The client's parameters for a booklist.
    private struct Wish {
        let mark: String?
        let search: String?
        let searchesTexts: Bool
        let isAnnotated: Bool
        let withCovers: Bool

        init(_ parameters: RequestParameters) throws(HostError) {
            mark = try parameters.text("since")
            search = try parameters.text("search")
            searchesTexts = try parameters.flag("texts") ?? false
            withCovers = try parameters.flag("covers") ?? false
            isAnnotated = try parameters.flag("annotations") ?? false
            guard mark == nil || search == nil else {
                throw HostError(
                    .parameter, "'since' and 'search' cannot be combined.", subject: "since",
                    hint: "Leave out since or search.")
            }
            guard !searchesTexts || search != nil else {
                throw HostError(
                    .parameter, "'texts' requires 'search'.", subject: "texts", hint: "Add search.")
            }
        }
    }

    @Sendable private static func books(
        _ session: ServedSession, _ request: PendingRequest
    ) throws(HostError) -> JSONValue {
        let wish = try Wish(request.parameters)
        let isCached = try request.parameters.flag("cached") ?? false
        // Texts that are not known yet are fetched.
        if isCached, !wish.searchesTexts,
            !session.withChangeLog(annotated: wish.isAnnotated, { $0.isStale }),
            let known = answered(session, wish)
        {
            return known
        }
        return try session.perform(request) { host throws(HostError) in
            let list = try host.books(withAnnotations: wish.isAnnotated)
            session.withChangeLog(annotated: wish.isAnnotated) { $0.take(list.lazy.map(\.book)) }
            let covers = wish.withCovers ? try fetchCovers(of: list, session, host, request) : [:]
            guard wish.searchesTexts else {
                return ServedSession.Outcome(answer(known(session, wish), session, wish, covers))
            }
            var query = BookQuery()
            (query.search, query.searchesTexts) = (wish.search, true)
            let found = try host.places(of: query, in: list).places.map { list[$0].book }
            return ServedSession.Outcome(document(partial(found), session, wish, covers))
        }
    }

    /// The answer from known data; nil if a cover for it is missing.
    private static func answered(_ session: ServedSession, _ wish: Wish) -> JSONValue? {
        let known = known(session, wish)
        guard wish.withCovers else { return answer(known, session, wish, [:]) }
        let covers = coverFiles(of: known.books, session)
        let files = Set(covers.values)
        return session.covers.there(of: files) == files ? answer(known, session, wish, covers) : nil
    }

    /// The changes that are known since the client's mark.
    private static func known(_ session: ServedSession, _ wish: Wish) -> BooklistChangeLog.Answer {
        session.withChangeLog(annotated: wish.isAnnotated) { $0.answer(since: wish.mark) }
    }

    /// - Parameter covers: the files of the existing covers, by the paths of their books.
    private static func answer(
        _ answer: BooklistChangeLog.Answer, _ session: ServedSession, _ wish: Wish,
        _ covers: [ExactText: String]
    ) -> JSONValue {
        if let search = wish.search, let finder = session.finder {
            let all = answer.books
            return document(partial(finder.find(search, in: all).map { all[$0] }), session, wish, covers)
        }
        return document(answer, session, wish, covers)
    }

    /// A partial list does not have a mark, because a later listing could not determine which books the client has
    /// not seen.
    private static func partial(_ books: [Book]) -> BooklistChangeLog.Answer {
        BooklistChangeLog.Answer(mark: "", isComplete: false, books: books, removed: [])
    }

    private static func document(
        _ answer: BooklistChangeLog.Answer, _ session: ServedSession, _ wish: Wish,
        _ covers: [ExactText: String]
    ) -> JSONValue {
        .document([
            "app": .string(session.appName), "overlay": .string(session.overlay),
            "device": .string(session.udid), "mark": .string(answer.mark),
            "complete": .bool(answer.isComplete),
            "books": .array(
                answer.books.map {
                    record($0, cover: covers[ExactText($0.path ?? "")], isAnnotated: wish.isAnnotated)
                }),
            "removed": .texts(answer.removed),
        ])
    }

    /// A book in the form that the commands print.
    ///
    /// - Parameter file: the file of its cover, which exists.
    static func record(_ book: Book, cover file: String? = nil, isAnnotated: Bool = false) -> JSONValue {
        let record = BookRecord(path: book.path ?? "", book)
        var document =
            (isAnnotated ? BookDocument.full(record) : BookDocument.json(record)).object ?? JSONObject()
        if let file, var cover = document["cover"]?.object {
            cover["path"] = .string(file)
            document["cover"] = .object(cover)
        }
        return .object(document)
    }

    /// The files for the covers of books, whether they exist or not, by the paths of the books.
    private static func coverFiles(
        of books: some Sequence<Book>, _ session: ServedSession
    ) -> [ExactText: String] {
        var files: [ExactText: String] = [:]
        for book in books { files[ExactText(book.path ?? "")] = session.covers.file(of: book) }
        return files
    }

    /// The number of books whose covers are requested at once; an overlay delivers them all in one answer.
    private static let group = 64

    /// Fetches missing covers, and removes those of books that no longer exist.
    ///
    /// - Returns: the files of the existing covers, by the paths of their books.
    private static func fetchCovers(
        of list: BookList, _ session: ServedSession, _ host: HostSession, _ request: PendingRequest
    ) throws(HostError) -> [ExactText: String] {
        let files = coverFiles(of: list.lazy.map(\.book), session)
        let wanted = Set(files.values)
        var there = session.covers.keep(only: wanted)
        let paths =
            wanted.count == there.count
            ? []
            : list.map(\.path).filter { path in
                files[ExactText(path)].map { !there.contains($0) } ?? false
            }
        guard !paths.isEmpty, try host.settings().missing("covers") == nil else {
            return files.filter { there.contains($0.value) }
        }
        let step = host.canReadSomeBooks ? group : paths.count
        for start in stride(from: 0, to: paths.count, by: step) {
            try request.checkCancellation()
            let some = Array(paths[start..<min(start + step, paths.count)])
            let read = try host.covers(of: some)
            for path in some {
                guard let place = read.position(ofPath: path), let image = read[place].cover?.data,
                    let file = files[ExactText(path)], session.covers.store(image, at: file)
                else { continue }
                there.insert(file)
            }
        }
        return files.filter { there.contains($0.value) }
    }

    // MARK: single books

    @Sendable private static func info(
        _ session: ServedSession, _ request: PendingRequest
    ) throws(HostError) -> JSONValue {
        let name = try request.parameters.requiredText("book")
        let wantsFile = try request.parameters.flag("file") ?? true
        let withCover = try request.parameters.flag("cover") ?? false
        return try session.perform(request) { host throws(HostError) in
            var record = try host.info(name, withCover: withCover, withAnnotations: true)
            if wantsFile { record = try host.readingPDFAnnotations(of: [record], fetching: false)[0] }
            let found = BookOnDevice(
                record: record, file: wantsFile ? try BookOnDevice.File(record, host) : nil, place: "")
            var document = found.json.object ?? JSONObject()
            if withCover, let image = record.cover?.data, let file = session.covers.file(of: record.book),
                session.covers.store(image, at: file) || session.covers.has(file)
            {
                document["cover"] = self.record(record.book, cover: file).object?["cover"] ?? .null
            }
            return ServedSession.Outcome(.object(document))
        }
    }

    @Sendable private static func get(
        _ session: ServedSession, _ request: PendingRequest
    ) throws(HostError) -> JSONValue {
        let names = try request.parameters.requiredTexts("books")
        guard let folder = try request.parameters.localPath("folder") else {
            _ = try request.parameters.requiredText("folder")
            return .null
        }
        let naming = try request.naming(else: .beginnings)
        return try session.perform(request) { host throws(HostError) in
            let result = host.get(names, to: folder, by: naming)
            return ServedSession.Outcome(BatchDocument.json(result), result.failure)
        }
    }

    @Sendable private static func annotations(
        _ session: ServedSession, _ request: PendingRequest
    ) throws(HostError) -> JSONValue {
        let names = try request.parameters.texts("books")
        let naming = try request.naming()
        return try session.perform(request) { host throws(HostError) in
            let list = try host.books(withAnnotations: true)
            var books: [BookRecord] = []
            if let names {
                for found in try host.find(names, by: naming) {
                    // An older list may name books that no longer exist.
                    if naming == .paths, case .failure(let error) = found, error.code == .notFound {
                        continue
                    }
                    let book = try found.get()
                    if !books.contains(where: { $0.path == book.path }) { books.append(book) }
                }
                books = try host.readingPDFAnnotations(of: books)
            } else {
                books = try host.annotatedBooks(of: list)
            }
            return ServedSession.Outcome(
                .document([
                    "books": .array(books.map { AnnotatedBook(app: session.appName, book: $0).json })
                ]))
        }
    }
}
