import BookFolders
import Claims
import OverlayKit
import PropertyLists

extension IBooksOverlay: DeletesBooks {
    /// Deletes books: first from the lists, then their files, then their covers.
    ///
    /// If a list cannot be changed, the lists changed before are restored and nothing is deleted.
    public func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try ItemRows.complete(paths.count, untouched: "The book was not deleted.", report: report) {
            rows throws(OverlayError) in
            // Files left by an interrupted command are removed even if there is no book to delete.
            if paths.isEmpty, try !mayWrite { return }
            try Permission.require(self)
            try claimed { claim throws(OverlayError) in
                try delete(paths, claim, &rows, report)
            }
        }
    }

    private func delete(
        _ paths: [String], _ claim: FolderClaim, _ rows: inout ItemRows,
        _ report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let library = try BooksLibraryReader(host: host, now: now).library()
        try library.requireWhole()
        let items = library.itemsByPath()
        var wanted: [SafePath: [Int]] = [:]
        var order: [BooksLibrary.Item] = []
        for (index, path) in paths.enumerated() {
            guard let safe = SafePath(path), let item = items[safe] else {
                rows.add(.failed(index, BooksLibrary.noSuchBook(nil)))
                continue
            }
            if wanted[safe] == nil { order.append(item) }
            wanted[safe, default: []].append(index)
        }
        try rows.flush(report)
        let unfinished = FileJournal(host)
        let noted = Dictionary(
            unfinished.files.map { ($0.path, $0.persistentID) }, uniquingKeysWith: { first, _ in first })
        try unfinished.sweep(needed: Set(order.flatMap(\.places).map(\.path)))
        guard !order.isEmpty else { return }
        host.progress.report(0, of: order.count, phase: "Removing books from the lists")
        let ownCovers = ownCovers(order, library, noted)
        let lists = library.present
        try unfinished.note(
            order.flatMap { item in
                item.places.map {
                    .init($0.path, .deleted, persistentID: ownCovers[item.path], lists: lists)
                }
            })
        try claim.renew()
        try strike(order, library)
        var gone: Set<SafePath> = []
        // If this is interrupted, the notes of all books stay. Books that have already been removed are skipped.
        for (place, item) in order.enumerated() {
            try claim.keep()
            host.progress.report(place, of: order.count, phase: "Deleting books")
            let row = try remove(item, cover: ownCovers[item.path], unfinished)
            if row.outcome != .failed { gone.formUnion(item.places.map(\.path)) }
            for index in wanted[item.path] ?? [] {
                var row = row
                row.index = index
                rows.add(row)
            }
            try rows.flush(report)
        }
        try unfinished.settle(gone)
    }

    /// The covers to delete with books: those that no remaining book shares.
    ///
    /// - Parameter noted: covers left by an interrupted deletion, which no list names any more.
    private func ownCovers(
        _ items: [BooksLibrary.Item], _ library: BooksLibrary, _ noted: [SafePath: String?]
    ) -> [SafePath: String] {
        let kept = library.persistentIDs(without: items.flatMap(\.sources))
        var covers: [SafePath: String] = [:]
        for item in items {
            guard let id = item.entry?.persistentID ?? noted[item.path] ?? nil,
                !kept.contains(id.uppercased())
            else { continue }
            covers[item.path] = id
        }
        return covers
    }

    /// Removes books from all lists: exactly the entries that the listing matched to them.
    private func strike(_ items: [BooksLibrary.Item], _ library: BooksLibrary) throws(OverlayError) {
        let struck = Dictionary(grouping: items.flatMap(\.sources), by: \.list)
        // The list that a sync reads is changed first, so that the others cannot be filled from it again.
        try ListChanger(host: host, now: now).change(
            library.files.compactMap { file in
                guard let gone = struck[file.list].map({ Set($0.map(\.index)) }) else { return nil }
                return (file, file.entries.enumerated().filter { !gone.contains($0.offset) }.map(\.element))
            })
    }

    /// Removes the files of a book that no list names.
    private func remove(
        _ item: BooksLibrary.Item, cover: String?, _ unfinished: FileJournal
    ) throws(OverlayError) -> ItemResult {
        for place in item.places {
            do throws(OverlayError) {
                try host.transport.remove(.media, place.devicePath, recursive: place.isUnpacked)
            } catch {
                if error.status == .notFound { continue }
                var failure = error
                failure.message =
                    "Books no longer lists the book, but its files could not be removed: "
                    + failure.message
                failure.hint = failure.hint ?? "Run the same command again."
                if error.endsTheCall { throw failure }
                return .failed(0, failure, path: item.path.text)
            }
        }
        var message =
            item.entry?.isProtected == true
            ? "The book was protected. It is still available in the "
                + "store." : nil
        if let cover {
            do throws(OverlayError) {
                try unfinished.removeCover(cover)
            } catch {
                if error.endsTheCall { throw error }
                message = "Cannot remove its cover: \(error.message)"
            }
        }
        return .done(0, .deleted, message: message)
    }
}
