import OverlayABI

extension CallMemory {
    /// The ABI's record of a book; `path` absent if `hasPath` is false, as for a book that is not on the device yet.
    package func book(_ book: BookRecord, hasPath: Bool = true) -> ovl_book {
        var record = ovl_book.sized()
        record.path = hasPath ? text(book.path) : ovl_text()
        record.uuid = text(book.uuid)
        record.title = text(book.title)
        record.title_sort = text(book.titleSort)
        record.authors = texts(book.authors)
        record.author_sort = text(book.authorSort)
        record.series = text(book.series)
        record.publisher = text(book.publisher)
        record.pubdate = text(book.pubdate)
        record.description = text(book.description)
        record.tags = texts(book.tags)
        record.collections = texts(book.collections)
        record.format = text(book.format)
        record.cover_media_type = text(book.cover?.mediaType)
        record.cover = bytes(book.cover?.data)
        record.series_index = book.seriesIndex ?? 0
        record.date_added = book.dateAdded ?? 0
        record.rating = book.rating ?? 0
        record.size = book.size ?? 0
        record.cover_size = book.cover?.size ?? 0
        record.locked = book.isLocked == true ? 1 : 0
        record.word_count = book.wordCount ?? 0
        record.progress = book.progress ?? 0
        record.content_id = text(book.contentID)
        if !book.annotations.isEmpty { record.annotations = list(book.annotations) { annotation($0) } }
        let flags: [(Bool, UInt32)] = [
            (book.seriesIndex != nil, OVL_BOOK_HAS_SERIES_INDEX),
            (book.dateAdded != nil, OVL_BOOK_HAS_DATE_ADDED),
            (book.rating != nil, OVL_BOOK_HAS_RATING), (book.size != nil, OVL_BOOK_HAS_SIZE),
            (book.cover?.size != nil, OVL_BOOK_HAS_COVER_SIZE),
            (book.isLocked != nil, OVL_BOOK_HAS_LOCKED), (book.wordCount != nil, OVL_BOOK_HAS_WORD_COUNT),
            (book.progress != nil, OVL_BOOK_HAS_PROGRESS),
        ]
        for (isSet, flag) in flags where isSet { record.flags |= flag }
        return record
    }
}
