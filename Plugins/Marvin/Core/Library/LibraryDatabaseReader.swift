import MarvinCommands
import DeviceDatabases
import Platform

/// Reads Marvin's tables `Books`, `BookSubjects`, `Collections`, `BookCollections`, `Highlights` and `Bookmarks`.
///
/// Versions of Marvin have different columns, so each column is looked up first, and read as NULL if it does not
/// exist.
struct LibraryDatabaseReader {
    /// What the library is called, as the beginning of a sentence.
    static let name = "Marvin's library"
    /// The most rows. No real library has as many; the limit bounds the cost of a hostile file.
    private static let mostBooks = 1_000_000
    static let mostLinks = 8_000_000

    let database: DeviceDatabase
    /// Whether each table or view is a plain table, by its name in lower case.
    let tables: [String: Bool]

    init(_ database: DeviceDatabase) throws(DatabaseError) {
        self.database = database
        tables = try database.tables()
    }

    /// Reads the whole library.
    func read() throws(DatabaseError) -> LibraryContents {
        guard try isTable("Books") else { throw .damaged("Marvin's library has no table of books.") }
        let columns = try database.columns(of: "Books")
        guard columns.contains("filename") else {
            throw .damaged("Marvin's library has no file names of books.")
        }
        var library = LibraryContents()
        var remarks = LibraryRemarks()
        let (subjects, namesOfCollections) = (try subjectsByBook(&remarks), try collectionsByBook(&remarks))
        var textBudget = TextBudget()
        var unread = Self.unread(without: columns)
        if !subjects.isWhole { unread.insert(.tags) }
        if !namesOfCollections.isWhole { unread.insert(.collections) }
        library.books = try readBooks(columns, &textBudget, &remarks) { book, textBudget in
            book.unread.formUnion(unread)
            Self.join(&book, subjects, namesOfCollections, &textBudget)
        }
        library.textBytes = textBudget.spent
        library.lacks = try lacks(columns)
        library.remarks = remarks.texts + textBudget.remarks.texts
        return library
    }

    /// Reads only the names and UUIDs of the books.
    func names() throws(DatabaseError) -> LibraryContents {
        guard try isTable("Books") else { throw .damaged("Marvin's library has no table of books.") }
        let columns = try database.columns(of: "Books")
        guard columns.contains("filename") else {
            throw .damaged("Marvin's library has no file names of books.")
        }
        var library = LibraryContents()
        var textBudget = TextBudget()
        let list = ["t.\"FileName\"", columns.contains("uuid") ? "t.\"UUID\"" : "NULL"]
        _ = try database.readableRows(of: "Books", list, limit: Self.mostBooks) {
            row throws(DatabaseError) in
            guard let name = try row.text(0), isSafeName(name) else { return }
            textBudget.takeBook(named: name)
            let uuid = textBudget.whole(try Self.filled(row, 1), "identifier", of: name)
            library.books.append(LibraryBook(fileName: name, uuid: uuid))
        }
        return library
    }

    /// The small covers in the database itself, for books with ids in `range`, by id.
    ///
    /// - Parameter largest: larger covers, in bytes, are left out.
    func coverBlobs(in range: ClosedRange<Int64>, largest: Int) throws(DatabaseError) -> [Int64: [UInt8]] {
        var covers: [Int64: [UInt8]] = [:]
        try database.readableRows(
            of: "Books", ["t.\"ID\"", "t.\"SmallCoverJpg\""], where: "t.\"ID\" BETWEEN ?1 AND ?2",
            values: [range.lowerBound, range.upperBound], limit: Self.mostBooks
        ) { row throws(DatabaseError) in
            guard let id = row.key(0), row.size(1) <= largest, let bytes = try row.bytes(1) else { return }
            covers[id] = bytes
        }
        return covers
    }

    // MARK: - Tables

    func isTable(_ name: String) throws(DatabaseError) -> Bool {
        guard let isPlain = tables[name.lowercased()] else { return false }
        guard isPlain else { throw .damaged("\(name) in Marvin's library is a view, not a table.") }
        return true
    }

    private static let wanted = [
        "ID", "FileName", "UUID", "Title", "Author", "AuthorSort", "CalibreTitleSort", "CalibreSeries",
        "CalibreSeriesIndex", "Publisher", "DatePublished", "DateAdded", "Description", "Rating", "Hash",
        LibraryFlag.new.column, LibraryFlag.readingList.column, LibraryFlag.read.column, "SmallCoverJpg",
        "CalibreCoverHash", "Pin", "WordCount", "Progress",
    ]

    /// The columns for each field; the field is unknown if one of them is missing.
    private static let columnsOfFields: [(MetadataField, [String])] = [
        (.title, ["title"]), (.titleSort, ["calibretitlesort"]), (.authors, ["author"]),
        (.authorSort, ["authorsort"]), (.series, ["calibreseries"]), (.seriesIndex, ["calibreseriesindex"]),
        (.publisher, ["publisher"]), (.pubdate, ["datepublished"]), (.description, ["description"]),
        (.rating, ["rating"]), (.locked, ["pin"]), (.wordCount, ["wordcount"]),
        (.cover, ["calibrecoverhash"]), (.collections, LibraryFlag.allCases.map { $0.column.lowercased() }),
    ]

    /// The tables with the books' subjects and collections, and their columns.
    private static let linked: [(table: String, columns: [String])] = [
        ("BookSubjects", ["BookID", "Subject"]), ("Collections", ["ID", "Name"]),
        ("BookCollections", ["BookID", "CollectionID"]),
    ]

    /// What the database lacks that the user would see.
    ///
    /// - Parameter columns: the columns of the table of books.
    private func lacks(_ columns: Set<String>) throws(DatabaseError) -> [String] {
        let needed = Set(Self.columnsOfFields.flatMap(\.1)).union(["uuid"]).subtracting(columns)
        var lacks = Self.wanted.filter { needed.contains($0.lowercased()) }.map { "column Books.\($0)" }
        for (table, columns) in Self.linked {
            guard try isTable(table) else {
                lacks.append("table \(table)")
                continue
            }
            lacks += try missing(columns, of: table)
        }
        return lacks + (try lacksOfAnnotations())
    }

    /// The columns that a table does not have, such as `column Highlights.Text`.
    func missing(_ columns: [String], of table: String) throws(DatabaseError) -> [String] {
        let present = try database.columns(of: table)
        return columns.filter { !present.contains($0.lowercased()) }.map { "column \(table).\($0)" }
    }

    private static func unread(without columns: Set<String>) -> FieldSet {
        FieldSet(columnsOfFields.filter { !columns.isSuperset(of: $0.1) }.map(\.0))
    }

    /// Sets the subjects and collections of a book.
    private static func join(
        _ book: inout LibraryBook, _ subjects: BookLinks, _ collections: BookLinks,
        _ textBudget: inout TextBudget
    ) {
        guard let id = book.id else {
            // It is not known which subjects and collections this book has.
            book.unread.formUnion(FieldSet([.tags, .collections]))
            return
        }
        let (file, flags) = (book.fileName, book.collections)
        let ownSubjects = subjects.names(of: id)
        book.tags = textBudget.names(ownSubjects.sorted(), "tags", of: file)
        if book.tags.count < ownSubjects.count { book.cut.insert(.tags) }
        let names = collections.names(of: id).subtracting(flags).sorted()
        let kept = textBudget.names(
            names, most: TextBudget.list - flags.count, "collections", of: file)
        book.collections = (flags + kept).sorted()
        if kept.count < names.count { book.cut.insert(.collections) }
    }

    private func readBooks(
        _ columns: Set<String>, _ textBudget: inout TextBudget, _ remarks: inout LibraryRemarks,
        complete: (inout LibraryBook, inout TextBudget) -> Void
    ) throws(DatabaseError) -> LibraryBooks {
        // Qualify the names, because SQLite treats unknown names in double quotes as texts.
        let list = Self.wanted.map { columns.contains($0.lowercased()) ? "t.\"\($0)\"" : "NULL" }
        var names: Set<[UInt8]> = []
        var books = LibraryBooks()
        let unreadable = try database.readableRows(of: "Books", list, limit: Self.mostBooks) {
            row throws(DatabaseError) in
            guard var book = try Self.book(row, &textBudget) else {
                remarks.add("A book whose file name is missing or unsafe was left out.")
                return
            }
            guard names.insert(book.fileName.bytes).inserted else {
                remarks.add("A duplicate entry for the file \(book.fileName) was left out.")
                return
            }
            complete(&book, &textBudget)
            books.append(book)
        }
        Self.note(unreadable, "books", &remarks)
        return books
    }

    private static func note(_ unreadable: Int, _ what: String, _ remarks: inout LibraryRemarks) {
        guard unreadable > 0 else { return }
        remarks.add(
            unreadable == 1
                ? "An entry of \(what) was left out because it is too large."
                : "\(unreadable) entries of \(what) were left out because they are too large.")
    }

    private static func book(
        _ row: DatabaseRow, _ textBudget: inout TextBudget
    ) throws(DatabaseError) -> LibraryBook? {
        guard let name = try row.text(1), isSafeName(name) else { return nil }
        var book = LibraryBook(id: row.key(0), fileName: name)
        textBudget.takeBook(named: name)
        book.uuid = textBudget.whole(try filled(row, 2), "identifier", of: name)
        book.title = textBudget.cut(try filled(row, 3), .title, of: name)
        // An author may have only 3 bytes in the database, but the host counts 16.
        book.author = textBudget.cut(try filled(row, 4), weight: 6, .authors, of: name)
        book.authorSort = textBudget.cut(try filled(row, 5), .authorSort, of: name)
        book.titleSort = textBudget.cut(try filled(row, 6), .titleSort, of: name)
        book.series = textBudget.cut(try filled(row, 7), .series, of: name)
        let index = try row.number(8) ?? 0
        book.seriesIndex = book.series == nil && index == 0 ? nil : index
        book.publisher = textBudget.cut(try filled(row, 9), .publisher, of: name)
        // calibre writes the year 101 into a file for an unknown date, and Marvin copies it.
        book.published = try row.number(10).flatMap(civilDate(ofSeconds:)).flatMap { $0 < "0102" ? nil : $0 }
        book.added = try row.number(11).flatMap(wholeSeconds)
        book.description = textBudget.cut(
            try filled(row, 12), limit: TextBudget.description, .description, of: name)
        book.cut = textBudget.cuts
        // The commands write 0 for "not rated".
        if let rating = try row.number(13), rating != 0 {
            if rating > 0, rating <= 5 { book.rating = rating } else { book.unread.insert(.rating) }
        }
        for (column, field) in [(8, .seriesIndex), (10, .pubdate), (13, .rating)] as [(Int32, MetadataField)]
        where try row.isStrange(column) {
            book.unread.insert(field)
        }
        if let hash = try filled(row, 14), isSafeName(hash) { book.hash = hash }
        for (offset, flag) in [LibraryFlag.new, .readingList, .read].enumerated()
        where try row.flag(Int32(15 + offset)) {
            book.collections.append(flag.rawValue)
        }
        book.coverBlobSize = row.size(18)
        book.coverHash = textBudget.whole(try filled(row, 19), "hash of the cover", of: name)
        if let pin = try row.number(20) { book.isLocked = pin != 0 }
        if let count = try row.number(21), count >= 1, count < 1e15 { book.wordCount = UInt64(count) }
        if let progress = try row.number(22), (0...1).contains(progress) { book.progress = progress }
        return book
    }

    /// The text of a column; nil if it is empty.
    static func filled(_ row: DatabaseRow, _ column: Int32) throws(DatabaseError) -> String? {
        guard let text = try row.text(column), !text.isEmpty else { return nil }
        return text
    }

    private func subjectsByBook(
        _ remarks: inout LibraryRemarks
    ) throws(DatabaseError) -> BookLinks {
        var subjects = BookLinks()
        guard try isTable("BookSubjects"), try hasColumns("BookSubjects", "bookid", "subject") else {
            return subjects
        }
        subjects.isWhole = true
        let unreadable = try database.readableRows(
            of: "BookSubjects", ["t.\"BookID\"", "t.\"Subject\""], limit: Self.mostLinks
        ) { row throws(DatabaseError) in
            guard let book = row.key(0) else {
                if row.size(0) > 0 { subjects.isWhole = false }
                return
            }
            guard let subject = try Self.filled(row, 1) else { return }
            subjects.add(subject, to: book)
        }
        subjects.sort()
        if unreadable > 0 { subjects.isWhole = false }
        Self.note(unreadable, "subjects", &remarks)
        return subjects
    }

    private func collectionsByBook(
        _ remarks: inout LibraryRemarks
    ) throws(DatabaseError) -> BookLinks {
        var links = BookLinks()
        guard try isTable("Collections"), try hasColumns("Collections", "id", "name"),
            try isTable("BookCollections"), try hasColumns("BookCollections", "bookid", "collectionid")
        else { return links }
        links.isWhole = true
        var names: [Int64: String] = [:]
        let unreadable = try database.readableRows(
            of: "Collections", ["t.\"ID\"", "t.\"Name\""], limit: Self.mostLinks
        ) { row throws(DatabaseError) in
            guard let id = row.key(0) else {
                if row.size(0) > 0 { links.isWhole = false }
                return
            }
            if let name = try Self.filled(row, 1) { names[id] = name }
        }
        if unreadable > 0 { links.isWhole = false }
        Self.note(unreadable, "collections", &remarks)
        var dangling = 0
        let beyond = try database.readableRows(
            of: "BookCollections", ["t.\"BookID\"", "t.\"CollectionID\""], limit: Self.mostLinks
        ) { row throws(DatabaseError) in
            guard let book = row.key(0), let collection = row.key(1), let name = names[collection] else {
                // NULL does not link anything; a key that is not an integer is from another version.
                if (0...1).contains(where: { row.key($0) == nil && row.size($0) > 0 }) {
                    links.isWhole = false
                }
                dangling += 1
                return
            }
            links.add(name, to: book)
        }
        links.sort()
        if beyond > 0 { links.isWhole = false }
        if dangling > 0 {
            remarks.add(
                dangling == 1
                    ? "An entry for a collection that does not exist was ignored."
                    : "\(dangling) entries for collections that do not exist were ignored.")
        }
        return links
    }

    func hasColumns(_ table: String, _ names: String...) throws(DatabaseError) -> Bool {
        try database.columns(of: table).isSuperset(of: names)
    }
}

/// The content of Marvin's library, read with one statement for each table and joined in memory.
struct LibraryContents: Sendable {
    /// The books in the order of the library, each file name once.
    var books = LibraryBooks()
    /// The size of their texts as the host counts it, or more.
    var textBytes = 0
    /// Tables and columns that the database lacks and whose content the user would see, such as `table BookSubjects`.
    var lacks: [String] = []
    /// What was left out or seemed wrong, for the log.
    var remarks: [String] = []
}

extension DatabaseRow {
    /// Whether a flag is set: any number except 0.
    func flag(_ column: Int32) throws(DatabaseError) -> Bool {
        guard let number = try number(column) else { return false }
        return number != 0
    }

    /// Whether the value is not a number and so cannot be understood.
    func isStrange(_ column: Int32) throws(DatabaseError) -> Bool {
        guard try number(column) == nil, size(column) > 0 else { return false }
        guard size(column) <= 64, let text = try text(column) else { return true }
        return !text.trimmed(of: \.isWhitespace).isEmpty
    }
}

/// Seconds since 1970 as Marvin stores them, truncated; nil if they are outside any calendar.
func wholeSeconds(_ seconds: Double) -> Int64? {
    // The years 1 to 9999, which is well within the range of Int64.
    let years = CivilTime.secondsOfFourDigitYears
    guard seconds >= Double(years.lowerBound), seconds < Double(years.upperBound + 1) else { return nil }
    return Int64(seconds)
}

/// The UTC day of a number of seconds since 1970, as `YYYY-MM-DD`; nil outside the years 1 to 9999.
///
/// Dates before 1970 are negative numbers.
func civilDate(ofSeconds seconds: Double) -> String? {
    wholeSeconds(seconds.rounded(.down)).flatMap(PublicationDate.init(unixSeconds:))?.description
}
