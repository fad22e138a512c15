import OverlayABI

extension SwiftLayout {
    /// The structs of `overlay_records.h` as Swift imports them.
    static let records: [SwiftLayout] =
        [
            Self.of(ovl_annotation.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("kind", \.kind)
                $0.add("location", \.location)
                $0.add("text", \.text)
                $0.add("note", \.note)
                $0.add("color", \.color)
                $0.add("modified", \.modified)
            },
            Self.of(ovl_book.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("path", \.path)
                $0.add("uuid", \.uuid)
                $0.add("title", \.title)
                $0.add("title_sort", \.title_sort)
                $0.add("authors", \.authors)
                $0.add("author_sort", \.author_sort)
                $0.add("series", \.series)
                $0.add("series_index", \.series_index)
                $0.add("publisher", \.publisher)
                $0.add("pubdate", \.pubdate)
                $0.add("date_added", \.date_added)
                $0.add("description", \.description)
                $0.add("tags", \.tags)
                $0.add("collections", \.collections)
                $0.add("rating", \.rating)
                $0.add("size", \.size)
                $0.add("format", \.format)
                $0.add("cover_media_type", \.cover_media_type)
                $0.add("cover_size", \.cover_size)
                $0.add("cover", \.cover)
                $0.add("locked", \.locked)
                $0.add("reserved", \.reserved)
                $0.add("word_count", \.word_count)
                $0.add("progress", \.progress)
                $0.add("annotations", \.annotations)
                $0.add("content_id", \.content_id)
                $0.add("extra", \.extra)
            },
            Self.of(ovl_book_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_collection.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("name", \.name)
                $0.add("kind", \.kind)
                $0.add("books", \.books)
            },
            Self.of(ovl_collection_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_books_options.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("volume", \.volume)
                $0.add("reserved", \.reserved)
                $0.add("wanted", \.wanted)
            },
            Self.of(ovl_upload_item.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("file", \.file)
                $0.add("name", \.name)
                $0.add("reserved", \.reserved)
                $0.add("book", \.book)
            },
            Self.of(ovl_upload_options.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("volume", \.volume)
                $0.add("on_conflict", \.on_conflict)
                $0.add("collections", \.collections)
            },
            Self.of(ovl_item_result.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("index", \.index)
                $0.add("status", \.status)
                $0.add("outcome", \.outcome)
                $0.add("path", \.path)
                $0.add("message", \.message)
                $0.add("hint", \.hint)
                $0.add("file", \.file)
                $0.add("domain", \.domain)
                $0.add("reserved", \.reserved)
                $0.add("native_code", \.native_code)
                $0.add("modified", \.modified)
                $0.add("created", \.created)
            },
            Self.of(ovl_result_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_booklist_edit.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("kind", \.kind)
                $0.add("reserved0", \.reserved0)
                $0.add("index", \.index)
                $0.add("reserved", \.reserved)
                $0.add("book", \.book)
            },
            Self.of(ovl_edit_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_fingerprint.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("vendor_id", \.vendor_id)
                $0.add("product_id", \.product_id)
                $0.add("device_release", \.device_release)
                $0.add("reserved", \.reserved)
                $0.add("manufacturer", \.manufacturer)
                $0.add("product", \.product)
                $0.add("serial", \.serial)
            },
            Self.of(ovl_presence.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("answer", \.answer)
                $0.add("reason", \.reason)
                $0.add("message", \.message)
                $0.add("hint", \.hint)
                $0.add("app_version", \.app_version)
            },
            Self.of(ovl_presence_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
        ].flatMap { $0 }
}
