import OverlayABI

/// Checks `ovl_book` records against every rule the contract states for them.
package struct BookChecker {
    /// Bytes of the host's memory that the records seen so far take, rather too many than too few.
    package private(set) var bytes: UInt64 = 0
    /// What every record takes beside its texts, lists and cover.
    private let perRecord: UInt64
    /// What each text of a list takes beside its bytes.
    private let perElement: UInt64

    /// A check with what the keeper of the records needs for each record, and for each text of its lists, whatever stands
    /// in them: by default what a `BookList` needs, as the contract tells overlays (docs/abi.md).
    package init(
        perRecord: Int = BoundaryLimits.bookOverhead, perElement: Int = BoundaryLimits.elementOverhead
    ) {
        self.perRecord = UInt64(perRecord)
        self.perElement = UInt64(perElement)
    }

    /// Throws the first rule that the record breaks. Afterwards all its views can be read without further checks. Returns
    /// copies of its annotations, which few books have.
    @inline(__always) @discardableResult
    package mutating func check(_ record: ovl_book) throws(ContractBreach) -> [BookAnnotation] {
        var sum = perRecord
        try record.path.check("path", limit: BoundaryLimits.path, &sum)
        guard record.path.size > 0 else { throw ContractBreach(.bookPath, "a book has no path") }
        try record.uuid.check("uuid", &sum)
        try record.title.check("title", &sum)
        try record.title_sort.check("title_sort", &sum)
        try record.authors.check("authors", perElement: perElement, &sum)
        try record.author_sort.check("author_sort", &sum)
        try record.series.check("series", &sum)
        try record.publisher.check("publisher", &sum)
        try record.pubdate.check("pubdate", &sum)
        try record.description.check("description", limit: BoundaryLimits.description, &sum)
        try record.tags.check("tags", perElement: perElement, &sum)
        try record.collections.check("collections", perElement: perElement, &sum)
        try record.format.check("format", &sum)
        try record.cover_media_type.check("cover_media_type", &sum)
        try record.content_id.check("content_id", &sum)
        if let cover = try record.cover.borrowed("the cover's bytes", limit: BoundaryLimits.cover) {
            guard record.cover_media_type.data != nil else {
                throw ContractBreach(.bookValue, "a cover has no cover_media_type")
            }
            sum &+= UInt64(cover.count)
        }
        try checkScalars(record)
        // Each summand was checked against its own limit, so that the sum of one book cannot overflow.
        bytes += sum
        guard bytes <= UInt64(BoundaryLimits.booklistBytes) else {
            throw ContractBreach(.limit, "the booklist is larger than \(BoundaryLimits.booklistBytes) bytes")
        }
        guard record.annotations.items != nil || record.annotations.count > 0 else { return [] }
        return try BookAnnotation.read(record.annotations, &bytes)
    }

    private func checkScalars(_ record: ovl_book) throws(ContractBreach) {
        let flags = record.flags
        if flags & OVL_BOOK_HAS_SERIES_INDEX != 0, !record.series_index.isFinite {
            throw ContractBreach(.bookValue, "series_index is not a number")
        }
        if flags & OVL_BOOK_HAS_RATING != 0, !(record.rating >= 0 && record.rating <= 5) {
            throw ContractBreach(.bookValue, "rating is not between 0 and 5")
        }
        if flags & OVL_BOOK_HAS_PROGRESS != 0, !(record.progress >= 0 && record.progress <= 1) {
            throw ContractBreach(.bookValue, "progress is not between 0 and 1")
        }
        if flags & OVL_BOOK_HAS_LOCKED != 0, record.locked > 1 {
            throw ContractBreach(.bookValue, "locked is neither 0 nor 1")
        }
        if let pubdate = record.pubdate.data {
            let digits = UnsafeRawBufferPointer(start: pubdate, count: Int(record.pubdate.size))
            guard Self.isDay(digits) else {
                throw ContractBreach(.bookValue, "pubdate is not of the form YYYY-MM-DD")
            }
        }
    }

    /// Whether a text is a day: at least four digits of a year, two of a month, two of a day.
    static func isDay(_ digits: UnsafeRawBufferPointer) -> Bool {
        guard digits.count >= 10, digits.count <= 16 else { return false }
        func isDigit(_ index: Int) -> Bool { digits[index] >= 48 && digits[index] <= 57 }
        func number(_ index: Int) -> UInt8 { (digits[index] &- 48) &* 10 &+ (digits[index + 1] &- 48) }
        let end = digits.count
        let first = digits[0] == UInt8(ascii: "-") ? 1 : 0
        guard end - 6 - first >= 4, digits[end - 3] == UInt8(ascii: "-"), digits[end - 6] == UInt8(ascii: "-")
        else { return false }
        for index in first..<(end - 6) where !isDigit(index) { return false }
        guard isDigit(end - 5), isDigit(end - 4), isDigit(end - 2), isDigit(end - 1) else { return false }
        return (1...12).contains(number(end - 5)) && (1...31).contains(number(end - 2))
    }
}

extension ovl_text {
    /// Checks bounds and UTF-8, and adds the bytes to `sum`.
    @inline(__always)
    fileprivate func check(
        _ field: StaticString, limit: Int = BoundaryLimits.text, _ sum: inout UInt64
    ) throws(ContractBreach) {
        guard let data else {
            guard size == 0 else { throw ContractBreach(.view, "\(field) has a size without data") }
            return
        }
        guard size <= UInt64(limit) else {
            throw ContractBreach(.limit, "\(field) has \(size) bytes; at most \(limit) are allowed")
        }
        guard UTF8Check.isValid(UnsafeRawPointer(data), Int(size)) else {
            throw ContractBreach(.notUTF8, "\(field) is not UTF-8")
        }
        sum &+= size
    }
}

extension ovl_texts {
    @inline(__always)
    fileprivate func check(
        _ field: StaticString, perElement: UInt64, _ sum: inout UInt64
    ) throws(ContractBreach) {
        guard let items else {
            guard count == 0 else { throw ContractBreach(.view, "\(field) has a count without items") }
            return
        }
        guard count <= UInt64(BoundaryLimits.texts) else {
            throw ContractBreach(
                .limit, "\(field) has \(count) elements; at most \(BoundaryLimits.texts) are allowed")
        }
        guard UInt(bitPattern: items) & 7 == 0 else { throw ContractBreach(.view, "\(field) is not aligned") }
        for index in 0..<Int(count) {
            guard items[index].data != nil else { throw ContractBreach(.view, "\(field) is absent") }
            try items[index].check(field, &sum)
        }
        sum &+= perElement &* count
    }
}

/// Whether bytes are UTF-8.
enum UTF8Check {
    /// Most texts are ASCII, which eight bytes at a time show; the rest is left to the standard library.
    @inline(__always)
    static func isValid(_ data: UnsafeRawPointer, _ count: Int) -> Bool {
        var bits: UInt64 = 0
        var offset = 0
        while offset + 8 <= count {
            bits |= data.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < count {
            bits |= UInt64(data.load(fromByteOffset: offset, as: UInt8.self))
            offset += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0 || isValidBeyondASCII(data, count)
    }

    @inline(never)
    private static func isValidBeyondASCII(_ data: UnsafeRawPointer, _ count: Int) -> Bool {
        let bytes = UnsafeBufferPointer(start: data.assumingMemoryBound(to: UInt8.self), count: count)
        do {
            _ = try UTF8Span(validating: bytes.span)
            return true
        } catch {
            return false
        }
    }
}
