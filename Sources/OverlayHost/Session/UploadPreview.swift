import Formats
import Libraries
import OverlayABI

/// The expected result of an upload, determined only from the list of books: for `--dry-run`.
///
/// The overlay makes the final decision, and may have more information about the books than its list contains.
struct UploadPreview {
    private let session: HostSession
    private let conflict: UInt32
    private let options: UploadRequest
    private let settings: AppAbilities

    init(_ session: HostSession, _ conflict: UInt32, _ options: UploadRequest) throws(HostError) {
        (self.session, self.conflict, self.options) = (session, conflict, options)
        settings = try session.settings()
    }

    /// The rows of usable files, in their order.
    func rows(_ books: [LocalBook]) throws(HostError) -> [ItemRow] {
        guard session.link.target.overlay.methods.books != nil, settings.missing("books") == nil else {
            return books.map(added)
        }
        let isReplacing = conflict == OVL_CONFLICT_REPLACE
        let present: (books: BookList, unread: HostError?) =
            try isReplacing ? session.booksWithReadableAnnotations() : (session.books(), nil)
        let shelf = DeviceShelf(present.books.map(\.book))
        return books.map { book in
            var known = book.description?.book ?? Book()
            known.uuid = book.uuid
            let place = shelf.place(
                of: known, contentID: book.contentID, format: book.format?.mediaType.string,
                sharesUUID: false)
            guard let place else { return added(book) }
            return row(book, present.books[place], marksAreUnread: present.unread != nil)
        }
    }

    private func added(_ book: LocalBook) -> ItemRow {
        if let refusal = book.refusal { return ItemRow(item: book.path, failure: refusal) }
        var row = ItemRow(item: book.path, status: .added)
        let unkept = options.collections.isEmpty ? nil : settings.unkeptCollections(session.app.name)
        row.remarks = [unkept].compactMap { $0 } + book.warnings
        return row
    }

    /// The expected row of a file whose book is already there.
    private func row(_ book: LocalBook, _ present: BookRecord, marksAreUnread: Bool) -> ItemRow {
        func row(_ status: ItemStatus, _ message: String?) -> ItemRow {
            ItemRow(item: book.path, path: present.path, status: status, message: message)
        }
        let mayReplace = [OVL_CONFLICT_UPDATE, OVL_CONFLICT_REPLACE].contains(conflict)
        let problem = book.refusal ?? (mayReplace ? book.replacementProblem : nil)
        if let problem, present.contentID != book.contentID {
            return ItemRow(item: book.path, failure: problem)
        }
        switch conflict {
        case OVL_CONFLICT_UPDATE where settings.missing("update") == nil: return row(.updated, nil)
        case OVL_CONFLICT_REPLACE where present.contentID != book.contentID:
            let marks = present.annotations.count
            if marksAreUnread {
                return row(.replaced, "It may lose highlights, notes and bookmarks, which cannot be read.")
            }
            guard marks > 0 else { return row(.replaced, nil) }
            let words =
                marks == 1 ? "1 highlight, note or bookmark" : "\(marks) highlights, notes and bookmarks"
            let loss = "It would lose \(words)."
            return row(.replaced, options.mayLoseMarks ? loss : loss + " Without --yes you are asked first.")
        default: return row(.skipped, "It is on the device already.")
        }
    }
}
