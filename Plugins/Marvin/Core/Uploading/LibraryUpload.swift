import CommandProtocol
import OverlayKit

/// One item that goes to Marvin.
struct LibraryUpload: Equatable {
    /// Which input item.
    var index: Int
    var file: HostFile
    /// Name of the staged file, and of the book's file when Marvin has it.
    var name: String
    /// Whether the library has a book under that name already, which is to be replaced.
    var replaces: Bool
    /// The book that the new one takes the place of under another name; it goes when the new one is there.
    var supersedes: LibraryBook?
    /// Collections and flags that the book gets, besides those of the book that it replaces.
    var asked: [String]
    /// The book that is there under this or another name. Its collections are kept.
    var present: LibraryBook?
    /// What the new file says nothing about, so that the book that is there keeps it.
    var silent: Set<MetadataField> = []
    /// What is known about the book and the file does not tell, such as what a calibre library has of it: Marvin reads files alone.
    var untold = Book()
    /// Bytes of the file.
    var size: UInt64
    var uuid: String
    /// Whether to lock the book in Marvin; nil: as the replaced book.
    var isLocked: Bool?
    /// nil: as many as the book that is there has.
    var wordCount: UInt64?
    /// What the row says beside the outcome of the book: whole sentences.
    var remarks: [String] = []
    /// MD5 of the cover that the host knows; nil: it knows none, or it travels with the command.
    var coverHash: String?
    /// A cover that the file itself does not have.
    var cover: EmbeddedCover?

    /// The book in the command.
    var command: UploadBooks.Book {
        UploadBooks.Book(
            fileName: name, coverHash: coverHash, isLocked: isLocked ?? present?.isLocked ?? false,
            wordCount: (wordCount ?? present?.wordCount).map { Int(clamping: $0) }, cover: cover,
            collections: collections)
    }

    /// The asked-for collections, those and the flags that a book to be replaced has, and the mark that Marvin puts on new
    /// books; each once.
    ///
    /// Marvin gives a replaced book only the collections that the command names: what the person made would be lost.
    var collections: [String] {
        var seen: Set<String> = [LibraryFlag.new.rawValue]
        let all = asked + (present?.collections ?? [])
        return all.filter { seen.insert($0).inserted } + [LibraryFlag.new.rawValue]
    }

    /// What the library has of the book that is there and the new file does not tell.
    var kept: Set<MetadataField> { present.map { silent.intersection($0.told) } ?? [] }

    /// Whether Marvin has to be told something that it cannot read from the file.
    var isMoreThanItsFile: Bool { untold != Book() || !kept.isEmpty }

    /// Takes over what has become of the book that is there.
    mutating func refresh(_ library: [[UInt8]: LibraryBook]) {
        guard let old = present, let now = library[old.fileName.bytes] else { return }
        present = now
        if supersedes != nil { supersedes = now }
    }
}

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
    /// The fields that say something else than `own`, what the book's file says about itself, and a rating in any case: Marvin does not
    /// read ratings from files.
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

    /// What nothing is known of, so that a book which this one replaces keeps it.
    ///
    /// - Parameter present: the replaced book. Its sort texts belong to its title and authors and go with them.
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
