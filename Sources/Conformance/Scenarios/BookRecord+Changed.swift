import OverlayHost

extension BookRecord {
    /// The book with one settable field changed; nil if none of the tried fields is settable.
    func changed(_ settable: [String]) -> BookRecord? {
        var book = self
        if settable.contains("title") {
            book.title = (book.title ?? "A Book") + " Revised"
        } else if settable.contains("authors") {
            book.authors = ["Another Author"]
        } else if settable.contains("tags") {
            book.tags = ["checked"]
        } else if settable.contains("rating") {
            book.rating = book.rating == 4 ? 3 : 4
        } else if settable.contains("description") {
            book.description = "Checked."
        } else if settable.contains("series") {
            (book.series, book.seriesIndex) = ("Checked", 1)
        } else {
            return nil
        }
        return book
    }
}
