import OverlayABI
import OverlayBridge

@testable import OverlayKit

// Conversions that only a host makes: it writes the arguments of methods, and reads edits.

extension BooksOptions {
    /// Creates a record with views into `arena`.
    func record(in arena: Arena) -> ovl_books_options {
        var record = ovl_books_options.sized()
        record.flags =
            (withCovers ? OVL_BOOKS_WITH_COVERS : 0) | (withAnnotations ? OVL_BOOKS_WITH_ANNOTATIONS : 0)
            | (unread ? OVL_BOOKS_UNREAD : 0)
        record.volume = volume.rawValue
        if let wanted { record.wanted = arena.texts(wanted) }
        return record
    }
}

extension UploadItem {
    /// Creates a record with views into `arena`.
    func record(in arena: Arena) -> ovl_upload_item {
        var record = ovl_upload_item.sized()
        record.file = file.rawValue
        record.name = arena.text(name)
        record.book = book.record(in: arena)
        return record
    }
}

extension UploadOptions {
    /// Creates a record with views into `arena`.
    func record(in arena: Arena) -> ovl_upload_options {
        var record = ovl_upload_options.sized()
        record.flags = mayLoseMarks ? OVL_UPLOAD_MAY_LOSE_MARKS : 0
        record.volume = volume.rawValue
        record.on_conflict = onConflict.rawValue
        record.collections = arena.texts(collections)
        return record
    }
}

extension BooklistEdit {
    /// Copies a record.
    ///
    /// - Throws: `contractBroken` for a kind that this version does not know.
    init(_ record: ovl_booklist_edit) throws(OverlayError) {
        guard let index = Int(exactly: record.index) else {
            throw .contractBroken("The index \(record.index) of an edit is invalid.")
        }
        let bookOffset = MemoryLayout<ovl_booklist_edit>.offset(of: \.book)
        switch record.kind {
        case OVL_EDIT_INSERT: self = .insert(try Book(nestedIn: record, at: bookOffset))
        case OVL_EDIT_REPLACE: self = .replace(index, try Book(nestedIn: record, at: bookOffset))
        case OVL_EDIT_REMOVE: self = .remove(index)
        default: throw .contractBroken("The kind \(record.kind) of an edit is unknown.")
        }
    }
}
