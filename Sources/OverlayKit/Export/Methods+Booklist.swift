import OverlayABI

extension ovl_methods {
    /// Fills the slots about booklists that `type` implements.
    mutating func fillBooklistSlots(_ type: any Overlay.Type) {
        if type is any AddsToBooklist.Type { fillAddBooksToMetadata() }
        if type is any RemovesFromBooklist.Type { fillRemoveBooksFromMetadata() }
        if type is any SyncsBooklists.Type { fillSyncBooklists() }
    }

    private mutating func fillAddBooksToMetadata() {
        add_books_to_metadata = { instance, added, snapshot, edits, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let new = try Book.list(added, "added")
                let old = try Book.list(snapshot, "snapshot")
                let sink = try ForeignEditSink(edits)
                let changes = try Instance.capability(instance.addsToBooklist)
                    .addBooksToMetadata(new, snapshot: old)
                for edit in changes { try sink.put(edit) }
            }
        }
    }

    private mutating func fillRemoveBooksFromMetadata() {
        remove_books_from_metadata = { instance, paths, snapshot, edits, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let gone = try requiredView(paths).strings("paths") ?? []
                let old = try Book.list(snapshot, "snapshot")
                let sink = try ForeignEditSink(edits)
                let changes = try Instance.capability(instance.removesFromBooklist)
                    .removeBooksFromMetadata(gone, snapshot: old)
                for edit in changes { try sink.put(edit) }
            }
        }
    }

    private mutating func fillSyncBooklists() {
        sync_booklists = { instance, books, results, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let edited = try Book.list(books, "books")
                let sink = try ForeignResultSink(results)
                try Instance.capability(instance.syncsBooklists).syncBooklists(edited) {
                    (row) throws(OverlayError) in try sink.put(row)
                }
                try sink.checkOpen()
            }
        }
    }
}

extension Book {
    /// Copies of the books of a list the contract promises not to be null.
    fileprivate static func list(
        _ pointer: UnsafePointer<ovl_list>, _ field: StaticString
    ) throws(OverlayError) -> [Book] {
        try requiredView(pointer).map(ovl_book.self, field) { (record) throws(OverlayError) in
            try Book(record)
        }
    }
}
