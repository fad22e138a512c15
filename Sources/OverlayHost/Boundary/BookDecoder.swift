import OverlayABI

/// Checks `ovl_book` records and copies them into `BookRecord`s.
package struct BookDecoder {
    /// Bytes of texts and covers taken so far.
    package private(set) var bytes: UInt64 = 0

    package init() {}

    /// The record's values. `path` must be there and not be empty.
    package mutating func book(_ record: ovl_book) throws(ContractBreach) -> BookRecord {
        guard record.path.size > 0 else { throw ContractBreach("a book has no path") }
        var book = BookRecord(path: try record.path.readRequired("path", limit: BoundaryLimits.path))
        book.uuid = try record.uuid.read("uuid")
        book.title = try record.title.read("title")
        book.titleSort = try record.title_sort.read("title_sort")
        book.authors = try record.authors.read("authors")
        book.authorSort = try record.author_sort.read("author_sort")
        book.series = try record.series.read("series")
        book.publisher = try record.publisher.read("publisher")
        book.pubdate = try record.pubdate.read("pubdate")
        book.description = try record.description.read("description", limit: BoundaryLimits.description)
        book.tags = try record.tags.read("tags")
        book.collections = try record.collections.read("collections")
        book.format = try record.format.read("format")
        try scalars(of: record, into: &book)
        book.cover = try cover(of: record)
        try count(record)
        return book
    }

    private func scalars(of record: ovl_book, into book: inout BookRecord) throws(ContractBreach) {
        let flags = record.flags
        if flags & OVL_BOOK_HAS_SERIES_INDEX != 0 {
            guard record.series_index.isFinite else { throw ContractBreach("series_index is not a number") }
            book.seriesIndex = record.series_index
        }
        if flags & OVL_BOOK_HAS_RATING != 0 {
            guard record.rating >= 0, record.rating <= 5 else {
                throw ContractBreach("rating is not within 0 to 5")
            }
            book.rating = record.rating
        }
        if flags & OVL_BOOK_HAS_DATE_ADDED != 0 { book.dateAdded = record.date_added }
        if flags & OVL_BOOK_HAS_SIZE != 0 { book.size = record.size }
        if let pubdate = book.pubdate, !Self.isDay(pubdate) {
            throw ContractBreach("pubdate is not of the form YYYY-MM-DD")
        }
    }

    private func cover(of record: ovl_book) throws(ContractBreach) -> BookCover? {
        let data = try record.cover.read("the cover's bytes", limit: BoundaryLimits.cover)
        guard let mediaType = try record.cover_media_type.read("cover_media_type") else {
            guard data == nil else { throw ContractBreach("a cover has no cover_media_type") }
            return nil
        }
        let size = record.flags & OVL_BOOK_HAS_COVER_SIZE != 0 ? record.cover_size : nil
        return BookCover(mediaType: mediaType, size: size ?? data.map { UInt64($0.count) }, data: data)
    }

    /// Adds up what was copied; each summand has been checked against its own limit.
    private mutating func count(_ record: ovl_book) throws(ContractBreach) {
        bytes &+= record.path.size &+ record.title.size &+ record.description.size &+ record.cover.size
        bytes &+= 16 &* (record.authors.count &+ record.tags.count &+ record.collections.count)
        guard bytes <= UInt64(BoundaryLimits.booklistBytes) else {
            throw ContractBreach("the booklist is larger than \(BoundaryLimits.booklistBytes) bytes")
        }
    }

    /// Whether a text is a day: at least four digits of a year, two of a month, two of a day.
    static func isDay(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { digits in
            guard digits.count >= 10, digits.count <= 16 else { return false }
            func isDigit(_ index: Int) -> Bool { digits[index] >= 48 && digits[index] <= 57 }
            func number(_ index: Int) -> UInt8 { (digits[index] &- 48) &* 10 &+ (digits[index + 1] &- 48) }
            let end = digits.count
            let first = digits[0] == UInt8(ascii: "-") ? 1 : 0
            guard end - 6 - first >= 4, digits[end - 3] == UInt8(ascii: "-"),
                digits[end - 6] == UInt8(ascii: "-")
            else { return false }
            for index in first..<(end - 6) where !isDigit(index) { return false }
            guard isDigit(end - 5), isDigit(end - 4), isDigit(end - 2), isDigit(end - 1) else { return false }
            return (1...12).contains(number(end - 5)) && (1...31).contains(number(end - 2))
        }
    }
}

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
        if let index = book.seriesIndex {
            (record.series_index, record.flags) = (index, record.flags | OVL_BOOK_HAS_SERIES_INDEX)
        }
        if let date = book.dateAdded {
            (record.date_added, record.flags) = (date, record.flags | OVL_BOOK_HAS_DATE_ADDED)
        }
        if let rating = book.rating {
            (record.rating, record.flags) = (rating, record.flags | OVL_BOOK_HAS_RATING)
        }
        if let size = book.size { (record.size, record.flags) = (size, record.flags | OVL_BOOK_HAS_SIZE) }
        if let size = book.cover?.size {
            (record.cover_size, record.flags) = (size, record.flags | OVL_BOOK_HAS_COVER_SIZE)
        }
        return record
    }
}
