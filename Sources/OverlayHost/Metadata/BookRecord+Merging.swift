extension BookRecord {
    /// This book with every value that the other has, such as what a library knows better than the file itself.
    func overridden(by other: BookRecord) -> BookRecord {
        var book = self
        book.uuid = other.uuid ?? uuid
        book.title = other.title ?? title
        // How a title is sorted belongs to the title, and so with the authors.
        book.titleSort = other.titleSort ?? (other.title == nil ? titleSort : nil)
        book.authors = other.authors ?? authors
        book.authorSort = other.authorSort ?? (other.authors == nil ? authorSort : nil)
        book.series = other.series ?? series
        book.seriesIndex = other.seriesIndex ?? (other.series == nil ? seriesIndex : nil)
        book.publisher = other.publisher ?? publisher
        book.pubdate = other.pubdate ?? pubdate
        book.description = other.description ?? description
        book.tags = other.tags ?? tags
        book.collections = other.collections ?? collections
        book.rating = other.rating ?? rating
        book.cover = other.cover ?? cover
        book.isLocked = other.isLocked ?? isLocked
        book.wordCount = other.wordCount ?? wordCount
        return book
    }
}
