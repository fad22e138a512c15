import Logging

extension HostSession {
    /// Returns the positions of the selected books in their order, and their number before the limit.
    ///
    /// For a query with `search`, the texts of the books are kept in an index on the host, unless the cache of the
    /// app's books is disabled. An index that cannot be used is ignored. With `searchesTexts`, PDF files whose texts
    /// are missing in the index are fetched and read first; the request's `notice` is called for files that cannot be
    /// read.
    ///
    /// - Parameters:
    ///   - query: the query.
    ///   - books: the result of `books`.
    /// - Throws: only with `searchesTexts`: `notFound` if `pdftotext` is not installed; errors that end the session,
    ///   such as `cancelled`.
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
            request.notice?("The text of '\(unread.first)'\(others) could not be read: \(unread.reason)")
        }
        return query.places(in: books, found: found)
    }

    /// The reader for texts inside books, if the query searches them.
    private func bookTexts(_ query: BookQuery) throws(HostError) -> BookTexts? {
        guard query.searchesTexts else { return nil }
        try require("get")
        return BookTexts(self, try PDFTextProgram(request.paths))
    }

    /// A search of the app's books, with a persistent index if that is allowed.
    package var bookFinder: BookFinder {
        let log = request.loggers.host
        guard let folder = request.searchFolder, keepsCaches else { return BookFinder(log: log) }
        return BookFinder(folder: folder, device: device.udid, app: app.bundleID, log: log)
    }

    /// Whether the preferences allow caches of the app's books on the host.
    private var keepsCaches: Bool {
        let (schema, disabling) = (request.overlays.schema, "\(overlay.id)_caching_disabled")
        do throws(HostError) {
            let values = try request.preferences.read().with(schema)
            if overlay.id == "marvin" { return try values.bool("booklist_caching") }
            return schema[disabling] == nil ? true : try !values.bool(disabling)
        } catch {
            // If the preferences cannot be read, they may forbid caches, so do not keep any.
            request.loggers.host.warning("searching without an index: \(error)")
            return false
        }
    }
}
