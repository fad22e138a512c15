extension HostSession {
    /// The places of the books that are wanted, in their order, and how many there were before the limit.
    ///
    /// For a query with `search`, what the books say is kept in an index on this computer, unless the cache of the app's books is
    /// switched off. An index that cannot be used is done without.
    ///
    /// - Parameters:
    ///   - query: which books are wanted.
    ///   - books: what `books` has returned.
    public func places(of query: BookQuery, in books: BookList) -> (places: [Int], matching: Int) {
        let found = query.search.map { bookFinder.find($0, in: books.lazy.map(\.book)) }
        return query.places(in: books, found: found)
    }

    /// Searches the app's books, in a file if one may be kept.
    package var bookFinder: BookFinder {
        let log = request.loggers.host
        guard let folder = request.searchFolder, keepsCaches else { return BookFinder(log: log) }
        return BookFinder(folder: folder, device: device.udid, app: app.bundleID, log: log)
    }

    /// Whether the preferences allow to keep what is known of the app's books on this computer.
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
