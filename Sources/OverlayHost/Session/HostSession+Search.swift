extension HostSession {
    /// The places of the books that are wanted, in their order, and how many there were before the limit.
    ///
    /// For a query with `search`, what the books say is kept in an index on this computer, unless the cache of the app's books is
    /// switched off. An index that cannot be used is done without. With `searchesTexts`, PDF files whose texts the index lacks
    /// are fetched and read first; the request's `notice` is called for those that cannot be.
    ///
    /// - Parameters:
    ///   - query: which books are wanted.
    ///   - books: what `books` has returned.
    /// - Throws: only with `searchesTexts`: `notFound` if `pdftotext` is not installed; what ends the session, such as `cancelled`.
    public func places(
        of query: BookQuery, in books: BookList
    ) throws(HostError) -> (places: [Int], matching: Int) {
        guard let search = query.search else { return query.places(in: books, found: nil) }
        let texts = try bookTexts(query)
        let found = bookFinder.find(search, in: books.lazy.map(\.book), texts: texts?.complete)
        if let failure = texts?.failure { throw settled(failure) }
        if let shortcoming = texts?.shortcoming { request.notice?(shortcoming) }
        if let unread = texts?.unread {
            let others = unread.count > 1 ? " and of \(unread.count - 1) others" : ""
            request.notice?("The text of “\(unread.first)”\(others) could not be read: \(unread.reason)")
        }
        return query.places(in: books, found: found)
    }

    /// What reads the texts inside books, if the query is about them.
    private func bookTexts(_ query: BookQuery) throws(HostError) -> BookTexts? {
        guard query.searchesTexts else { return nil }
        try require("get")
        return BookTexts(self, try PDFTextProgram(request.paths))
    }

    /// Searches the app's books, in a file if one may be kept.
    package var bookFinder: BookFinder {
        let log = request.loggers.host
        guard let folder = request.searchFolder, keepsCaches else { return BookFinder(log: log) }
        return BookFinder(folder: folder, device: device.udid, app: app.bundleID, log: log)
    }

    /// Whether the preferences allow to keep what is known about the app's books on this computer.
    private var keepsCaches: Bool {
        let (schema, disabling) = (request.overlays.schema, "\(overlay.id)_caching_disabled")
        do throws(HostError) {
            let values = try request.preferences.read().with(schema)
            if overlay.id == "marvin" { return try values.bool("booklist_caching") }
            return schema[disabling] == nil ? true : try !values.bool(disabling)
        } catch {
            // A wrong value must not leave behind what it may have forbidden.
            request.loggers.host.warning("searching without an index: \(error)")
            return false
        }
    }
}
