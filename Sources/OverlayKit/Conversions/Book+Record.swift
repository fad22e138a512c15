import OverlayABI

extension Book {
    /// A copy of a record.
    ///
    /// - Throws: `contractBroken` if a text is not UTF-8 or a view is not possible.
    package init(_ record: ovl_book) throws(OverlayError) {
        let flags = record.flags
        self.init(
            path: try record.path.string("book.path"),
            uuid: try record.uuid.string("book.uuid"),
            title: try record.title.string("book.title"),
            titleSort: try record.title_sort.string("book.title_sort"),
            authors: try record.authors.strings("book.authors"),
            authorSort: try record.author_sort.string("book.author_sort"),
            series: try record.series.string("book.series"),
            seriesIndex: flags & OVL_BOOK_HAS_SERIES_INDEX != 0 ? record.series_index : nil,
            publisher: try record.publisher.string("book.publisher"),
            pubdate: try record.pubdate.string("book.pubdate"),
            dateAdded: flags & OVL_BOOK_HAS_DATE_ADDED != 0 ? record.date_added : nil,
            description: try record.description.string("book.description"),
            tags: try record.tags.strings("book.tags"),
            collections: try record.collections.strings("book.collections"),
            rating: flags & OVL_BOOK_HAS_RATING != 0 ? record.rating : nil,
            size: flags & OVL_BOOK_HAS_SIZE != 0 ? record.size : nil,
            format: try record.format.string("book.format"),
            coverMediaType: try record.cover_media_type.string("book.cover_media_type"),
            coverSize: flags & OVL_BOOK_HAS_COVER_SIZE != 0 ? record.cover_size : nil,
            coverData: try record.cover.array("book.cover"),
            isLocked: flags & OVL_BOOK_HAS_LOCKED != 0 ? record.locked != 0 : nil,
            wordCount: flags & OVL_BOOK_HAS_WORD_COUNT != 0 ? record.word_count : nil,
            progress: flags & OVL_BOOK_HAS_PROGRESS != 0 ? record.progress : nil,
            annotations: try record.annotations.map(ovl_annotation.self, "book.annotations") {
                (annotation) throws(OverlayError) in try Annotation(annotation)
            }, contentID: try record.content_id.string("book.content_id"))
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_book {
        var record = ovl_book.sized()
        record.path = arena.text(path)
        record.uuid = arena.text(uuid)
        record.title = arena.text(title)
        record.title_sort = arena.text(titleSort)
        record.authors = arena.texts(authors)
        record.author_sort = arena.text(authorSort)
        record.series = arena.text(series)
        record.publisher = arena.text(publisher)
        record.pubdate = arena.text(pubdate)
        record.description = arena.text(description)
        record.tags = arena.texts(tags)
        record.collections = arena.texts(collections)
        record.format = arena.text(format)
        record.cover_media_type = arena.text(coverMediaType)
        record.cover = arena.bytes(coverData)
        record.content_id = arena.text(contentID)
        if let seriesIndex {
            record.series_index = seriesIndex
            record.flags |= OVL_BOOK_HAS_SERIES_INDEX
        }
        if let dateAdded {
            record.date_added = dateAdded
            record.flags |= OVL_BOOK_HAS_DATE_ADDED
        }
        if let rating {
            record.rating = rating
            record.flags |= OVL_BOOK_HAS_RATING
        }
        if let size {
            record.size = size
            record.flags |= OVL_BOOK_HAS_SIZE
        }
        if let coverSize {
            record.cover_size = coverSize
            record.flags |= OVL_BOOK_HAS_COVER_SIZE
        }
        if let isLocked {
            record.locked = isLocked ? 1 : 0
            record.flags |= OVL_BOOK_HAS_LOCKED
        }
        if let wordCount {
            record.word_count = wordCount
            record.flags |= OVL_BOOK_HAS_WORD_COUNT
        }
        if let progress {
            record.progress = progress
            record.flags |= OVL_BOOK_HAS_PROGRESS
        }
        if !annotations.isEmpty { record.annotations = arena.list(annotations) { $0.record(in: arena) } }
        return record
    }

    /// A copy of the book that ends an outer record: as much of it as the outer record's writer wrote.
    ///
    /// - Parameters:
    ///   - outer: a copy of the outer record, whose `struct_size` says how much of it was written.
    ///   - offset: where the book begins in it.
    init<Outer: ABIRecord>(nestedIn outer: Outer, at offset: Int?) throws(OverlayError) {
        guard let offset, Int(outer.struct_size) >= offset + 8 else {
            self.init()
            return
        }
        let record = try withUnsafeBytes(of: outer) { (bytes) throws(OverlayError) in
            guard let start = bytes.baseAddress else { return ovl_book() }
            // What the outer record's writer did not write is zero in the copy, whatever the book's own size says.
            return try ovl_book.copy(from: start + offset)
        }
        try self.init(record)
    }
}
