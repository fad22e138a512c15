import OverlayABI
import OverlayBridge

extension BooksOptions {
    /// Copies a record. Ignores bits that this version does not know, and keeps numbers.
    package init(_ record: ovl_books_options) throws(OverlayError) {
        let wanted = try record.wanted.strings("books_options.wanted")
        self.init(
            withCovers: record.flags & OVL_BOOKS_WITH_COVERS != 0, volume: Volume(rawValue: record.volume),
            withAnnotations: record.flags & OVL_BOOKS_WITH_ANNOTATIONS != 0,
            wanted: wanted?.isEmpty ?? true ? nil : wanted, unread: record.flags & OVL_BOOKS_UNREAD != 0)
    }
}

extension UploadItem {
    /// Copies a record.
    package init(_ record: ovl_upload_item) throws(OverlayError) {
        self.init(
            file: HostFile(rawValue: record.file), name: try record.name.string("upload_item.name") ?? "",
            book: try Book(nestedIn: record, at: MemoryLayout<ovl_upload_item>.offset(of: \.book)))
    }
}

extension UploadOptions {
    /// Copies a record.
    package init(_ record: ovl_upload_options) throws(OverlayError) {
        self.init(
            volume: Volume(rawValue: record.volume), onConflict: ConflictPolicy(rawValue: record.on_conflict),
            collections: try record.collections.strings("upload_options.collections"),
            mayLoseMarks: record.flags & OVL_UPLOAD_MAY_LOSE_MARKS != 0)
    }
}

extension ItemResult {
    /// Copies a record.
    package init(_ record: ovl_item_result) throws(OverlayError) {
        guard let index = Int(exactly: record.index) else {
            throw .contractBroken("The index \(record.index) of a row is invalid.")
        }
        self.init(
            index: index, status: OverlayStatus(rawValue: record.status),
            outcome: Outcome(rawValue: record.outcome), path: try record.path.string("item_result.path"),
            message: try record.message.string("item_result.message"),
            hint: try record.hint.string("item_result.hint"), hintKind: HintKind(flags: record.flags),
            file: record.file == 0 ? nil : HostFile(rawValue: record.file),
            domain: ErrorDomain(rawValue: record.domain), nativeCode: record.native_code,
            retryable: record.flags & OVL_ERROR_RETRYABLE != 0, modified: record.modified,
            created: record.created)
    }

    /// Creates a record with views into `arena`.
    ///
    /// - Throws: `invalidArgument` if the index is negative.
    package func record(in arena: Arena) throws(OverlayError) -> ovl_item_result {
        guard let index = UInt64(exactly: index) else {
            throw OverlayError(.invalidArgument, "The index \(index) of a row is negative.")
        }
        var record = ovl_item_result.sized()
        record.flags = (retryable ? OVL_ERROR_RETRYABLE : 0) | HintKind.flags(hintKind)
        record.index = index
        record.status = status.rawValue
        record.outcome = outcome.rawValue
        record.path = arena.text(path)
        record.message = arena.text(message)
        record.hint = arena.text(hint)
        record.file = file?.rawValue ?? 0
        record.domain = domain.rawValue
        record.native_code = nativeCode
        record.modified = modified
        record.created = created
        return record
    }
}
