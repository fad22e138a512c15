import OverlayABI

extension BooklistEdit {
    /// A copy of a record.
    ///
    /// - Throws: `contractBroken` if the kind is none this version knows.
    package init(_ record: ovl_booklist_edit) throws(OverlayError) {
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

    /// A record with views into `arena`.
    ///
    /// - Throws: `invalidArgument` if the index is negative.
    package func record(in arena: Arena) throws(OverlayError) -> ovl_booklist_edit {
        var record = ovl_booklist_edit.sized()
        record.book.struct_size = UInt32(MemoryLayout<ovl_book>.size)
        let position: Int
        switch self {
        case .insert(let book):
            (record.kind, position) = (OVL_EDIT_INSERT, 0)
            record.book = book.record(in: arena)
        case .replace(let index, let book):
            (record.kind, position) = (OVL_EDIT_REPLACE, index)
            record.book = book.record(in: arena)
        case .remove(let index):
            (record.kind, position) = (OVL_EDIT_REMOVE, index)
        }
        guard let index = UInt64(exactly: position) else {
            throw OverlayError(.invalidArgument, "The index \(position) of an edit is negative.")
        }
        record.index = index
        return record
    }
}
