import BookFolders
import OverlayKit

extension BibDeskOverlay: FetchesBooks, PreparesAddableBooks {
    /// Passes a paper of a reference to the host: the one that the path names.
    public func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        let list = try references(try preferences())
        let (place, file) = try place(of: path, in: list)
        try host.transport.readWhole(
            place.root, place.path(file.path), size: file.size, subject: path, each: each)
    }

    /// Copies papers to the host's temporary folder, all at once, with one row for each path.
    public func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try ItemRows.complete(paths.count, untouched: "The paper was not fetched.", report: report) {
            rows throws(OverlayError) in
            let list = try references(try preferences())
            var wanted: [Root: [(index: Int, path: String)]] = [:]
            for (index, path) in paths.enumerated() {
                do throws(OverlayError) {
                    let (place, file) = try place(of: path, in: list)
                    wanted[place.root, default: []].append((index, place.path(file.path)))
                } catch {
                    rows.add(.failed(index, error))
                }
            }
            try rows.flush(report)
            for (root, files) in wanted {
                try host.transport.pull(root, files.map(\.path)) { row throws(OverlayError) in
                    var row = row
                    row.index = files[row.index].index
                    row.path = paths[row.index]
                    rows.add(row)
                    try rows.flush(report)
                }
            }
        }
    }

    /// The place of a book's paper.
    private func place(
        of path: String, in list: ReferenceList
    ) throws(OverlayError) -> (place: BookPlace, file: FoundFile) {
        let reference = list.books.first { $0.path == path }
        // Further papers of a reference are named by their own paths.
        let paper =
            reference.map(\.paper)
            ?? list.books.lazy.flatMap(\.papers).first { $0.file?.path.text == path }
        guard let paper, let file = paper.file else {
            guard reference != nil else { throw BibDeskOverlay.noSuchBook(path) }
            throw OverlayError(
                .notFound, "None of the papers of this reference is on the device.", subject: path,
                hint: "Sync the folder that has them.")
        }
        guard paper.isCached, let cache = list.device.store.cachedPapers else {
            return (list.device.store.papers, file)
        }
        return (cache, file)
    }

    /// The error for a path without a book.
    static func noSuchBook(_ path: String) -> OverlayError {
        OverlayError(
            .notFound, "No reference on the device has this path.", subject: path,
            hint: "List the books again.")
    }
}
