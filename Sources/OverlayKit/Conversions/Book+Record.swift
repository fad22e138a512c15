import BookModel
import OverlayABI
import OverlayBridge

extension Book {
    /// Copies a record.
    ///
    /// - Throws: `contractBroken` if a text is not UTF-8 or a view is invalid.
    package init(_ record: ovl_book) throws(OverlayError) {
        var reader = BookReader(ViewLimit.book)
        do throws(ViewFault) { self = try reader.read(record) } catch {
            throw OverlayError(error, in: "book")
        }
    }

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_book { arena.record(self) }

    /// Copies the book at the end of an outer record, limited to the part that the outer record's writer wrote.
    ///
    /// - Parameters:
    ///   - outer: a copy of the outer record. Its `struct_size` is the number of bytes that were written.
    ///   - offset: the position of the book in the outer record.
    init<Outer: ABIRecord>(nestedIn outer: Outer, at offset: Int?) throws(OverlayError) {
        guard let offset, Int(outer.struct_size) >= offset + 8 else {
            self.init()
            return
        }
        let record = try withUnsafeBytes(of: outer) { (bytes) throws(OverlayError) in
            guard let start = bytes.baseAddress else { return ovl_book() }
            // The copy is zero after the part that the writer of the outer record wrote, even if the book's own size
            // is larger.
            return try ovl_book.copy(from: start + offset)
        }
        try self.init(record)
    }
}

extension BooklistEdit {
    /// Creates a record with views into `arena`.
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
