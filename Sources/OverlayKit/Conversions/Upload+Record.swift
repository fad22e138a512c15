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

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_books_options {
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
    /// Copies a record.
    package init(_ record: ovl_upload_item) throws(OverlayError) {
        self.init(
            file: HostFile(rawValue: record.file), name: try record.name.string("upload_item.name") ?? "",
            book: try Book(nestedIn: record, at: MemoryLayout<ovl_upload_item>.offset(of: \.book)))
    }

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_upload_item {
        var record = ovl_upload_item.sized()
        record.file = file.rawValue
        record.name = arena.text(name)
        record.book = book.record(in: arena)
        return record
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

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_upload_options {
        var record = ovl_upload_options.sized()
        record.flags = mayLoseMarks ? OVL_UPLOAD_MAY_LOSE_MARKS : 0
        record.volume = volume.rawValue
        record.on_conflict = onConflict.rawValue
        record.collections = arena.texts(collections)
        return record
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
