import BookModel
import OverlayABI
import OverlayBridge

/// Copies books out of `ovl_book` records and checks them against every rule that the contract states for them.
package struct BookChecker {
    private var reader: BookReader

    /// Bytes that the books up to now count, by the rules of docs/abi.md.
    package var bytes: UInt64 { reader.bytes }

    /// A checker that has seen no books.
    ///
    /// - Parameters:
    ///   - perRecord: bytes that each book counts beside its texts, lists and cover.
    ///   - perElement: bytes that each text of a list counts beside its own.
    package init(
        perRecord: Int = BoundaryLimits.bookOverhead, perElement: Int = BoundaryLimits.elementOverhead
    ) {
        reader = BookReader(
            BoundaryLimits.book,
            overhead: BookReader.Overhead(
                book: perRecord, element: perElement, annotation: BoundaryLimits.annotationOverhead))
    }

    /// The book of a record.
    ///
    /// - Throws: the first rule that the record breaks.
    @discardableResult
    package mutating func check(_ record: ovl_book) throws(ContractBreach) -> BookRecord {
        guard record.path.size > 0 else { throw ContractBreach(.bookPath, "A book has no path.") }
        var book: Book
        do throws(ViewFault) { book = try reader.read(record) } catch { throw ContractBreach(error) }
        try check(book)
        if record.flags & OVL_BOOK_HAS_LOCKED != 0, record.locked > 1 {
            throw ContractBreach(.bookValue, "The field locked is neither 0 nor 1.")
        }
        // The size of a cover counts only if there is a cover.
        let size = book.coverSize ?? book.coverData.map { UInt64($0.count) }
        book.coverSize = book.coverMediaType == nil ? nil : size
        return BookRecord(path: book.path ?? "", book)
    }

    private func check(_ book: Book) throws(ContractBreach) {
        if book.coverData != nil, book.coverMediaType == nil {
            throw ContractBreach(.bookValue, "A cover has no cover_media_type.")
        }
        if let index = book.seriesIndex, !index.isFinite {
            throw ContractBreach(.bookValue, "The field series_index is not a number.")
        }
        if let rating = book.rating, !(rating >= 0 && rating <= 5) {
            throw ContractBreach(.bookValue, "The field rating is not between 0 and 5.")
        }
        if let progress = book.progress, !(progress >= 0 && progress <= 1) {
            throw ContractBreach(.bookValue, "The field progress is not between 0 and 1.")
        }
        if let pubdate = book.pubdate, !Self.isDay(pubdate) {
            throw ContractBreach(.bookValue, "The field pubdate is not of the form YYYY-MM-DD.")
        }
    }

    /// Whether a text is a day: at least four digits of a year, two of a month, two of a day.
    package static func isDay(_ text: String) -> Bool {
        let digits = Array(text.utf8)
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
