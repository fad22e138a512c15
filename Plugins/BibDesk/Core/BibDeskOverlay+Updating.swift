import BibTeX
import BookFolders
import OverlayKit

extension BibDeskOverlay: SyncsBooklists {
    /// Writes changed values into the entries of books, and changes their static groups. Each library is written
    /// once.
    public func syncBooklists(
        _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        var rows = ItemRows(count: books.count)
        try claimed { list, writer throws(OverlayError) in
            let settings = try preferences()
            let references = list.byPath()
            var groups: [ShelfPath: LibraryGroups] = [:]
            var changes = ChangedLibraries(list.device)
            var waiting: [ShelfPath: [(index: Int, remark: String?)]] = [:]
            for (index, wanted) in books.enumerated() {
                do throws(OverlayError) {
                    guard let path = wanted.path, let reference = references[path] else {
                        throw Self.noSuchBook(wanted.path ?? "")
                    }
                    let library = reference.library
                    if groups[library.path] == nil {
                        groups[library.path] = LibraryGroups(
                            library, kinds: settings.kinds, clock: groupClock())
                    }
                    let names = groups[library.path]?.namesByEntry[reference.entry] ?? []
                    let change = try change(reference, names, to: wanted, &changes)
                    if change.isDone { waiting[library.path, default: []].append((index, change.remark)) }
                } catch {
                    if error.endsTheCall { throw error }
                    rows.add(.failed(index, error, path: wanted.path))
                }
            }
            try changes.write(writer) { path, error throws(OverlayError) in
                for (index, remark) in waiting[path] ?? [] {
                    rows.add(
                        error.map { .failed(index, $0, path: books[index].path) }
                            ?? .done(index, .updated, path: books[index].path, message: remark))
                }
                try rows.flush(report)
            }
        }
        try rows.flush(report)
    }

    /// Changes one entry, unless there is nothing to change.
    ///
    /// - Returns: whether the entry was changed, and what was not stored.
    private func change(
        _ reference: ReferenceBook, _ old: [String], to wanted: Book, _ changes: inout ChangedLibraries
    ) throws(OverlayError) -> (isDone: Bool, remark: String?) {
        let library = reference.library
        let block = library.resolved.block(reference.entry)
        let present = reference.book(collections: old, withFields: false)
        let fields = EntryEditor.fields(wanted, over: present) { block.field($0) != nil }
        let new = wanted.collections ?? old
        let add = new.filter { !old.contains($0) }
        let remove = old.filter { !new.contains($0) }
        guard !fields.isEmpty || !add.isEmpty || !remove.isEmpty else { return (false, nil) }
        let time = now()
        try changes.change(library) { document throws(OverlayError) in
            if !fields.isEmpty {
                try EntryEditor.write(fields, to: reference.entry, of: &document, now: time)
            }
            try ChangedLibraries.regroup(reference.name.key, add: add, remove: remove, in: &document)
        }
        return (true, EntryEditor.remark(wanted, over: present) { block.field($0) != nil })
    }
}
