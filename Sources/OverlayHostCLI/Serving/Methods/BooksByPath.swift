import OverlayHost

/// Books that a client names by their paths alone, with `paths_only`: a program that works with a list from before must not meet
/// another book, whose title happens to be the path of one that is gone.
enum BooksByPath {
    /// The parameter that asks for it.
    static let parameter = "paths_only"

    /// The books that names mean; those that are found by something else than their paths only without `paths_only`.
    static func find(
        _ names: [String], _ request: PendingRequest, _ host: HostSession
    ) throws(HostError) -> [Result<BookRecord, HostError>] {
        let found = try host.find(names)
        guard try request.parameters.flag(parameter) == true else { return found }
        return zip(names, found).map { name, result in
            guard case .success(let book) = result, book.path != name else { return result }
            return .failure(
                HostError(.notFound, "No book has this path.", subject: name, hint: "List the books again."))
        }
    }

    /// Does something with books, of which only those that `find` finds are handed on with `paths_only`. One row per name.
    static func change(
        _ names: [String], _ request: PendingRequest, _ host: HostSession, _ body: ([String]) -> BatchResult
    ) throws(HostError) -> BatchResult {
        guard try request.parameters.flag(parameter) == true else { return body(names) }
        var rows: [ItemRow?] = []
        var wanted: [(place: Int, name: String)] = []
        for (place, result) in try find(names, request, host).enumerated() {
            switch result {
            case .success:
                rows.append(nil)
                wanted.append((place, names[place]))
            case .failure(let error): rows.append(ItemRow(item: names[place], failure: error))
            }
        }
        guard !wanted.isEmpty else { return BatchResult(rows: rows.compactMap { $0 }) }
        let result = body(wanted.map(\.name))
        for (one, row) in zip(wanted, result.rows) { rows[one.place] = row }
        return BatchResult(rows: rows.compactMap { $0 }, failure: result.failure)
    }
}
