import BookFolders
import OverlayKit
import PropertyLists

extension IBooksOverlay: DeletesBooks {
    /// Deletes books: first no list names them any more, then their files go, then their covers.
    ///
    /// If a list cannot be changed, those that were changed before are put back and nothing is deleted.
    public func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try ItemRows.complete(paths.count, untouched: "The book was not deleted.", report: report) {
            rows throws(OverlayError) in
            guard !paths.isEmpty else { return }
            try Permission.require(self)
            let reader = LibraryReader(host: host)
            let library = try reader.library()
            if let damaged = library.unreadable.first { throw damaged }
            var wanted: [SafePath: [Int]] = [:]
            var order: [Library.Item] = []
            for (index, path) in paths.enumerated() {
                guard let safe = SafePath(path), let item = library.items.first(where: { $0.path == safe })
                else {
                    rows.add(.failed(index, Self.noSuchBook(nil)))
                    continue
                }
                if wanted[safe] == nil { order.append(item) }
                wanted[safe, default: []].append(index)
            }
            try rows.flush(report)
            guard !order.isEmpty else { return }
            host.progress.report(0, of: order.count, phase: "Taking books off the lists")
            let isLast = try strike(order, reader)
            for (place, item) in order.enumerated() {
                host.progress.report(place, of: order.count, phase: "Deleting books")
                let row = try remove(item, keepingCover: !isLast.contains(item.path))
                for index in wanted[item.path] ?? [] {
                    var row = row
                    row.index = index
                    rows.add(row)
                }
                try rows.flush(report)
            }
        }
    }

    /// Takes books off all lists, and tells which of them no entry names any more by their persistent id.
    private func strike(_ items: [Library.Item], _ reader: LibraryReader) throws(OverlayError) -> Set<
        SafePath
    > {
        var files: [(file: BookListFile, kept: [PropertyList])] = []
        var keptIDs: Set<String> = []
        for list in BookList.all {
            let file = try reader.file(list)
            let kept = file.entries.filter { value in
                guard let entry = BookEntry(value) else { return true }
                return !items.contains { list.isAbout(entry, $0) }
            }
            for value in kept {
                if let id = BookEntry(value)?.persistentID { keptIDs.insert(id.uppercased()) }
            }
            if kept.count != file.entries.count { files.append((file, kept)) }
        }
        let changer = ListChanger(host: host, now: now)
        var changes: [ListChanger.Change] = []
        // The list that a synchronisation reads comes first, so that no other one can be filled up from it.
        for (file, kept) in files {
            do throws(OverlayError) {
                changes.append(try changer.change(file, to: kept))
            } catch {
                try changer.undo(changes, because: error)
                throw error
            }
        }
        return Set(
            items.filter { $0.entry?.persistentID.map { !keptIDs.contains($0.uppercased()) } ?? false }.map(
                \.path))
    }

    /// Removes the files of a book that no list names.
    private func remove(_ item: Library.Item, keepingCover: Bool) throws(OverlayError) -> ItemResult {
        do throws(OverlayError) {
            try host.transport.remove(.media, item.devicePath, recursive: item.isUnpacked)
        } catch {
            guard error.status == .notFound else {
                var failure = error
                failure.message =
                    "Books does not list the book any more, but its files are still there: " + failure.message
                failure.hint = failure.hint ?? "Run the same deletion again."
                if [.cancelled, .deviceGone, .timedOut].contains(error.status) { throw failure }
                return .failed(0, failure, path: item.path.text)
            }
        }
        var message =
            item.entry?.isProtected == true ? "The book was protected; the store has it still." : nil
        if !keepingCover, let id = item.entry?.persistentID, let name = SafePath(id), !id.contains("/") {
            do throws(OverlayError) {
                try host.transport.remove(.media, ArtworkFolder.path + "/" + name.text)
            } catch {
                if [.cancelled, .deviceGone, .timedOut].contains(error.status) { throw error }
                if error.status != .notFound { message = "Its cover could not be removed: \(error.message)" }
            }
        }
        return .done(0, .deleted, message: message)
    }
}
