import OverlayABI

extension BooksOptions {
    /// A copy of a record. Bits and numbers this version does not know are kept out or kept as they are.
    package init(_ record: ovl_books_options) {
        self.init(
            withCovers: record.flags & OVL_BOOKS_WITH_COVERS != 0, volume: Volume(rawValue: record.volume),
            withAnnotations: record.flags & OVL_BOOKS_WITH_ANNOTATIONS != 0)
    }

    /// A record.
    package var record: ovl_books_options {
        var record = ovl_books_options.sized()
        record.flags =
            (withCovers ? OVL_BOOKS_WITH_COVERS : 0) | (withAnnotations ? OVL_BOOKS_WITH_ANNOTATIONS : 0)
        record.volume = volume.rawValue
        return record
    }
}

extension UploadItem {
    /// A copy of a record.
    package init(_ record: ovl_upload_item) throws(OverlayError) {
        self.init(
            file: HostFile(rawValue: record.file), name: try record.name.string("upload_item.name") ?? "",
            book: try Book(nestedIn: record, at: MemoryLayout<ovl_upload_item>.offset(of: \.book)))
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_upload_item {
        var record = ovl_upload_item.sized()
        record.file = file.rawValue
        record.name = arena.text(name)
        record.book = book.record(in: arena)
        return record
    }
}

extension UploadOptions {
    /// A copy of a record.
    package init(_ record: ovl_upload_options) throws(OverlayError) {
        self.init(
            volume: Volume(rawValue: record.volume), onConflict: ConflictPolicy(rawValue: record.on_conflict),
            collections: try record.collections.strings("upload_options.collections"),
            mayLoseMarks: record.flags & OVL_UPLOAD_MAY_LOSE_MARKS != 0)
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_upload_options {
        var record = ovl_upload_options.sized()
        record.flags = mayLoseMarks ? OVL_UPLOAD_MAY_LOSE_MARKS : 0
        record.volume = volume.rawValue
        record.on_conflict = onConflict.rawValue
        record.collections = arena.texts(collections)
        return record
    }
}
