import OverlayKit

extension LibraryBook {
    /// What a replacement could take away: the fields that a file may be silent about and that the library has a value of.
    var told: Set<MetadataField> {
        var fields: Set<MetadataField> = []
        let texts: [(MetadataField, String?)] = [
            (.title, title), (.titleSort, titleSort), (.authors, author), (.authorSort, authorSort),
            (.series, series), (.publisher, publisher), (.pubdate, published), (.description, description),
        ]
        for (field, text) in texts where text.flatMap(BookChange.carried) != nil { fields.insert(field) }
        if (rating ?? 0) > 0 { fields.insert(.rating) }
        if !tags.isEmpty { fields.insert(.tags) }
        return fields
    }

    /// These fields, as far as the library has a value, as a wish; a series goes with the place in it.
    func kept(_ fields: Set<MetadataField>) -> Book {
        let fields = fields.intersection(told)
        var book = Book()
        if fields.contains(.title) { book.title = title }
        if fields.contains(.titleSort) { book.titleSort = titleSort }
        if fields.contains(.authors) { book.authors = authors }
        if fields.contains(.authorSort) { book.authorSort = authorSort }
        if fields.contains(.series) { (book.series, book.seriesIndex) = (series, seriesIndex) }
        if fields.contains(.publisher) { book.publisher = publisher }
        if fields.contains(.pubdate) { book.pubdate = published }
        if fields.contains(.description) { book.description = description }
        if fields.contains(.rating) { book.rating = rating }
        if fields.contains(.tags) { book.tags = tags }
        return book
    }
}

extension Book {
    /// The fields that say something else than `own`, what the book's file says of itself.
    func beyond(_ own: Book) -> Book {
        func new<Value: Equatable>(_ field: KeyPath<Book, Value?>) -> Value? {
            self[keyPath: field] == own[keyPath: field] ? nil : self[keyPath: field]
        }
        var book = Book()
        book.title = new(\.title)
        book.titleSort = new(\.titleSort)
        book.authors = new(\.authors)
        book.authorSort = new(\.authorSort)
        if series != own.series || seriesIndex != own.seriesIndex {
            (book.series, book.seriesIndex) = (series, seriesIndex)
        }
        book.publisher = new(\.publisher)
        book.pubdate = new(\.pubdate)
        book.description = new(\.description)
        book.rating = new(\.rating)
        book.tags = new(\.tags)
        return book
    }

    /// What nothing is known of, so that a book which this one replaces keeps it.
    ///
    /// - Parameter present: the replaced book, whose sort texts belong to its title and authors and go with them.
    func silent(replacing present: LibraryBook) -> Set<MetadataField> {
        let isNamed = title.map { $0 != present.title } ?? false
        let isWritten = authors.map { !$0.isEmpty && $0 != present.authors } ?? false
        let open: [(MetadataField, Bool)] = [
            (.title, title == nil), (.titleSort, titleSort == nil && !isNamed),
            (.authors, authors?.isEmpty ?? true), (.authorSort, authorSort == nil && !isWritten),
            (.series, series == nil), (.publisher, publisher == nil), (.pubdate, pubdate == nil),
            (.description, description == nil), (.rating, rating == nil), (.tags, tags?.isEmpty ?? true),
        ]
        return Set(open.filter(\.1).map(\.0))
    }
}
