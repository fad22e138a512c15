import BookModel
import OverlayABI
import OverlayBridge
import Platform

/// Copies books from `ovl_book` records and checks the contract's rules for them.
package struct BookChecker {
    private var reader: BookReader

    /// The size of the books read so far in bytes, counted by the rules in docs/abi.md.
    package var bytes: UInt64 { reader.bytes }

    /// Creates a checker.
    ///
    /// - Parameters:
    ///   - perRecord: the number of bytes that count for each book, in addition to its texts, lists and cover.
    ///   - perElement: the number of bytes that count for each text of a list, in addition to the text.
    package init(
        perRecord: Int = BoundaryLimits.bookOverhead, perElement: Int = BoundaryLimits.elementOverhead
    ) {
        reader = BookReader(
            BoundaryLimits.book,
            overhead: BookReader.Overhead(
                book: perRecord, element: perElement, annotation: BoundaryLimits.annotationOverhead))
    }

    /// Checks and copies the book in a record.
    ///
    /// - Throws: the first rule that the record breaks.
    @discardableResult
    package mutating func check(_ record: ovl_book) throws(ContractBreach) -> BookRecord {
        var record = record
        try Self.prepare(&record)
        let book: Book
        do throws(ViewFault) { book = try reader.read(record) } catch { throw ContractBreach(error) }
        try Self.check(record)
        return BookRecord(path: book.path ?? "", book)
    }

    /// Checks the book in a record, packs it at the end of `runs`, and returns its annotations.
    ///
    /// - Parameter record: may be completed with the size of its cover.
    @inline(__always)
    mutating func append(
        _ record: inout ovl_book, to runs: inout ByteRuns
    ) throws(ContractBreach) -> [Annotation] {
        try Self.prepare(&record)
        let annotations: [Annotation]
        do throws(ViewFault) {
            annotations = try reader.append(&record, to: &runs)
        } catch {
            throw ContractBreach(error)
        }
        try Self.check(record)
        return annotations
    }

    /// Requires a path, ignores the size of a missing cover, and uses the size of the image if no other size is given.
    private static func prepare(_ record: inout ovl_book) throws(ContractBreach) {
        guard record.path.size > 0 else { throw ContractBreach(.bookPath, "A book has no path.") }
        if record.cover_media_type.data == nil {
            record.flags &= ~OVL_BOOK_HAS_COVER_SIZE
        } else if record.cover.data != nil, record.flags & OVL_BOOK_HAS_COVER_SIZE == 0 {
            record.cover_size = record.cover.size
            record.flags |= OVL_BOOK_HAS_COVER_SIZE
        }
    }

    /// Checks the values of a record after the reader has read its views.
    private static func check(_ record: ovl_book) throws(ContractBreach) {
        func has(_ flag: UInt32) -> Bool { record.flags & flag != 0 }
        if record.cover.data != nil, record.cover_media_type.data == nil {
            throw ContractBreach(.bookValue, "A cover has no cover_media_type.")
        }
        if has(OVL_BOOK_HAS_SERIES_INDEX), !record.series_index.isFinite {
            throw ContractBreach(.bookValue, "The field series_index is not a number.")
        }
        if has(OVL_BOOK_HAS_RATING), !(record.rating >= 0 && record.rating <= 5) {
            throw ContractBreach(.bookValue, "The field rating is not between 0 and 5.")
        }
        if has(OVL_BOOK_HAS_PROGRESS), !(record.progress >= 0 && record.progress <= 1) {
            throw ContractBreach(.bookValue, "The field progress is not between 0 and 1.")
        }
        if has(OVL_BOOK_HAS_LOCKED), record.locked > 1 {
            throw ContractBreach(.bookValue, "The field locked is neither 0 nor 1.")
        }
        if let day = record.pubdate.data,
            !CivilDay.hasForm(UnsafeRawBufferPointer(start: day, count: Int(record.pubdate.size)))
        {
            throw ContractBreach(.bookValue, "The field pubdate is not of the form YYYY-MM-DD.")
        }
    }

    /// Whether the contract takes a text for a day.
    package static func isDay(_ text: String) -> Bool {
        CivilDay.hasForm(text)
    }
}
