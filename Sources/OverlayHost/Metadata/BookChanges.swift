import Platform

extension BookChanges {
    /// Throws an error if a value is not valid for a book.
    func check() throws(HostError) {
        func refuse(_ field: String, _ expectation: String) -> HostError {
            HostError(.invalidArgument, "The \(field) of a book must be \(expectation).", subject: field)
        }
        if let title, title.allSatisfy(\.isWhitespace) {
            throw HostError(
                .invalidArgument, "A book must have a title.", subject: "title",
                hint: "Give a non-empty title.")
        }
        if let rating, !(rating >= 0 && rating <= 5) { throw refuse("rating", "from 0 to 5") }
        if let seriesIndex, !seriesIndex.isFinite { throw refuse("series_index", "a number") }
        if let pubdate, !pubdate.isEmpty, !BookChecker.isDay(pubdate) {
            throw refuse("pubdate", "a date of the form YYYY-MM-DD")
        }
        if let cover, cover.data?.isEmpty ?? true { throw refuse("cover", "an image") }
        if let count = cover?.data?.count, count > BoundaryLimits.cover {
            throw refuse("cover", "an image of at most \(BoundaryLimits.cover) bytes")
        }
    }

    /// The record that requests these changes from an overlay: the changed values, the identifiers of the book, and
    /// all its collections.
    func record(of book: BookRecord) -> BookRecord {
        var record = BookRecord(
            path: book.path, limited(toSettable: Self.fields.compactMap(\.settableWord)))
        record.uuid = book.uuid
        record.collections = collections ?? book.collections ?? []
        record.coverSize = coverSize ?? coverData.map { UInt64($0.count) }
        return record
    }
}

extension BookChanges {
    /// The largest cover of a sidecar, in bytes.
    private static let largestCover = 8 << 20

    /// Reads the metadata in the sidecar at `path`, such as calibre's `metadata.opf`, with its cover and without
    /// collections.
    ///
    /// - Parameter notice: called with a sentence about a cover that cannot be used.
    /// - Throws: `inputUnreadable`, or an error of the file's content.
    package init(sidecar path: String, notice: (String) -> Void) throws(HostError) {
        let sidecar: Sidecar
        do throws(HostError) {
            sidecar = try Sidecar(path: path)
        } catch {
            var error = error
            error.subject = path
            throw error
        }
        let words = Self.fields.compactMap(\.settableWord)
        self = sidecar.book.limited(toSettable: words.filter { $0 != "collections" && $0 != "cover" })
        do throws(HostError) {
            cover = try sidecar.cover { size in
                size > UInt64(Self.largestCover)
                    ? "It is larger than \(ByteCount.text(UInt64(Self.largestCover)))." : nil
            }
        } catch {
            notice("Not using the cover \(error.subject ?? ""): \(error.message)")
        }
    }
}
