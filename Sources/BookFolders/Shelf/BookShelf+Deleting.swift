import OverlayKit

extension BookShelf {
    /// Deletes books, with one row for each path. A folder that loses its last book is removed only if this program
    /// created it and it is empty.
    ///
    /// Only plain files are deleted, and folders that are a single book, such as an unpacked `.epub`. Files left by
    /// an interrupted command are removed too, even if there is no book to delete.
    public func delete(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try ItemRows.complete(paths.count, untouched: "The book was not deleted.", report: report) {
            rows throws(OverlayError) in
            var wanted: [(index: Int, path: ShelfPath)] = []
            var seen: [ShelfPath: Int] = [:]
            for (index, text) in paths.enumerated() {
                guard let path = ShelfPath(text) else {
                    rows.add(.failed(index, noSuchBook(nil)))
                    continue
                }
                if let first = seen[path] {
                    rows.add(index, like: first, message: "The same book appears earlier in the list.")
                } else {
                    seen[path] = index
                    wanted.append((index, path))
                }
            }
            try rows.flush(report)
            try claimed { shelf throws(OverlayError) in
                if !wanted.isEmpty { try shelf.delete(wanted, &rows, report) }
            }
        }
    }

    private func delete(
        _ wanted: [(index: Int, path: ShelfPath)], _ rows: inout ItemRows,
        _ report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let paths = wanted.map(\.path)
        let above = ShelfPath.folders(above: paths)
        let found = try host.transport.stat(place.root, (paths + above).map { place.path($0) })
        let links = links(above, found.dropFirst(paths.count))
        let cache = MetadataCache(metadataStorage, log: host.log)
        let notes = BookNotes(host.storage, log: host.log)
        var left: [ShelfPath] = []
        defer {
            cache.save()
            save(notes)
            if !left.isEmpty { removeEmpty(left, onlyMade: true) }
        }
        for (count, (item, info)) in zip(wanted, found).enumerated() {
            try goOn()
            host.progress.report(count, of: wanted.count, phase: "Deleting books")
            do throws(OverlayError) {
                guard links.isDisjoint(with: ShelfPath.folders(above: [item.path])) else {
                    throw noSuchBook(nil)
                }
                let info = try info.get()
                try remove(item.path, info)
                forget(item.path, info, cache, notes)
                if let folder = item.path.folder { left.append(folder) }
                rows.add(.done(item.index, .deleted))
            } catch {
                if error.endsTheCall {
                    // The device may have received this request, but none of the others.
                    var reason = error
                    reason.message = "Cannot delete the book. " + error.message
                    rows.add(.failed(item.index, reason, path: item.path.text))
                    throw error
                }
                let missing = error.status == .notFound
                rows.add(
                    .failed(
                        item.index, missing ? noSuchBook(nil) : error,
                        path: missing ? nil : item.path.text))
            }
            try rows.flush(report)
        }
        host.progress.report(wanted.count, of: wanted.count, phase: "Deleting books")
    }

    /// Forgets what was recorded about a book, unless another file has the same content.
    private func forget(_ path: ShelfPath, _ info: FileInfo, _ cache: MetadataCache, _ notes: BookNotes) {
        let file = FoundFile(path: path, size: info.size, modified: info.modified)
        let fingerprint = cache.entry(of: file)?.fingerprint
        cache.remove(path)
        if let fingerprint, cache.paths(of: fingerprint).isEmpty { notes.forget(fingerprint) }
    }

    /// Writes notes that can be written again at any time; a failure is only logged.
    func save(_ notes: BookNotes) {
        do throws(OverlayError) { try notes.save() } catch {
            host.log.warning("books", "Cannot save what is known about the books: \(error.message)")
        }
    }

    private func remove(_ path: ShelfPath, _ info: FileInfo) throws(OverlayError) {
        switch info.kind {
        case .regular: try host.transport.remove(place.root, place.path(path))
        case .folder where FolderWalk.packageExtensions.contains(path.fileExtension):
            // A folder of books that only has such a name is not a book.
            let names = try host.transport.list(place.root, place.path(path)).map(\.name)
            guard FolderWalk.isPackage(names) else { throw isFolder(path) }
            try host.transport.remove(place.root, place.path(path), recursive: true)
        case .folder: throw isFolder(path)
        default:
            throw OverlayError(.notSupported, "This is not a file.", subject: path.text)
        }
    }
}
