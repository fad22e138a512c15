import MarvinCommands
import OverlayKit

/// An item to send to Marvin.
struct LibraryUpload: Equatable {
    /// The index of the input item.
    var index: Int
    var file: HostFile
    /// The name of the staged file, and of the book's file once Marvin has it.
    var name: String
    /// Whether the library already has a book with this name, which is to be replaced.
    var replaces: Bool
    /// The book with another name that the new book replaces. It is deleted after the new book has been added.
    var supersedes: LibraryBook?
    /// The collections and flags that the book gets, in addition to those of the book it replaces.
    var asked: [String]
    /// The present book, under this or another name. Its collections are kept.
    var present: LibraryBook?
    /// The fields that the new file does not have, so that the present book's values are kept.
    var silent: Set<MetadataField> = []
    /// Known values that are not in the file, for example from a calibre library. Marvin reads only the file.
    var untold = Book()
    /// The size of the file in bytes.
    var size: UInt64
    var uuid: String
    /// Whether to lock the book in Marvin; nil keeps the replaced book's state.
    var isLocked: Bool?
    /// The number of words; nil keeps the present book's number.
    var wordCount: UInt64?
    /// Further sentences for the row.
    var remarks: [String] = []
    /// The MD5 of the cover that the host knows; nil if it knows none or the cover is sent with the command.
    var coverHash: String?
    /// A cover that is not in the file.
    var cover: EmbeddedCover?

    /// The book for the command.
    var command: UploadBooks.Book {
        UploadBooks.Book(
            fileName: name, coverHash: coverHash, isLocked: isLocked ?? present?.isLocked ?? false,
            wordCount: (wordCount ?? present?.wordCount).map { Int(clamping: $0) }, cover: cover,
            collections: collections)
    }

    /// The requested collections, the collections and flags of the book to be replaced, and Marvin's mark for new
    /// books, without duplicates.
    ///
    /// Marvin gives a replaced book only the collections in the command; without this, the user's collections would
    /// be lost.
    var collections: [String] {
        var seen: Set<String> = [LibraryFlag.new.rawValue]
        let all = asked + (present?.collections ?? [])
        return all.filter { seen.insert($0).inserted } + [LibraryFlag.new.rawValue]
    }

    /// The present book's values that are not in the new file.
    var kept: Set<MetadataField> { present.map { silent.intersection($0.told) } ?? [] }

    /// Whether values that Marvin cannot read from the file must be sent to it.
    var isMoreThanItsFile: Bool { untold != Book() || !kept.isEmpty }

    /// Updates the item with the present state of the book in the library.
    mutating func refresh(_ library: [[UInt8]: LibraryBook]) {
        guard let old = present, let now = library[old.fileName.bytes] else { return }
        present = now
        if supersedes != nil { supersedes = now }
    }
}

extension LibraryBook {
    /// The fields that a replacement could delete: the library has a value for them, and a file may not.
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

    /// The library's values of these fields, as a request; a series includes the position in it.
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
    /// The fields that differ from `own`, the metadata in the book's file. A rating is always included, because
    /// Marvin does not read ratings from files.
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
        book.rating = (rating ?? 0) > 0 ? rating : new(\.rating)
        book.tags = new(\.tags)
        return book
    }

    /// The fields without a known value, which the replaced book keeps.
    ///
    /// - Parameter present: the replaced book. Its sort texts depend on its title and authors and are replaced with
    ///   them.
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
