import MarvinCommands

/// One row of Marvin's table of books, with the related rows of the other tables.
struct MarvinBook {
    var fileName: String
    var uuid: String
    /// The content hash, which names the cover files.
    var hash: String
    var title: String?
    var titleSort: String?
    var author: String?
    var authorSort: String?
    var publisher: String?
    var description: String?
    var publicationDate: PublicationDate?
    var series = ""
    var seriesIndex: Double?
    /// The time when the book was added to the library, in seconds since 1970.
    var added: Double
    var coverHash: String?
    var isLocked = false
    var wordCount: Int?
    var subjects: [String] = []
    /// Names of collections and flags.
    var collections: [String] = []
    var smallCover: [UInt8]?
    var largeCover: [UInt8]?

    /// Creates the library entry for an EPUB file. A book without a cover gets plain covers.
    ///
    /// The cover of the file is used unchanged for both sizes, because scaling it would require an image library.
    init(_ file: BookFile, fileName: String, hash: ContentHash, added: Double) {
        self.fileName = fileName
        let stem = fileName.hasSuffix(".epub") ? String(fileName.dropLast(5)) : fileName
        uuid = BookFile.isUUID(stem) ? stem : file.uuid ?? hash.uuid
        self.hash = hash.text
        title = file.title
        titleSort = file.titleSort
        author = file.authors.joined(separator: ", ")
        authorSort = file.authorSort
        publisher = file.publisher
        description = file.description
        publicationDate = file.publicationDate
        series = file.series
        seriesIndex = file.seriesIndex
        subjects = file.subjects
        self.added = added
        smallCover = file.cover ?? PlainCover.small(seed: hash.seed).jpeg()
        largeCover = file.cover ?? PlainCover.large(seed: hash.seed).jpeg()
    }

    /// Creates a book without reading a file.
    init(fileName: String, uuid: String, hash: String, added: Double) {
        self.fileName = fileName
        self.uuid = uuid
        self.hash = hash
        self.added = added
    }

    /// The values of the row, by column.
    var row: [(column: String, value: SQLiteValue)] {
        let flags = Set(collections.map { $0.uppercased() })
        return [
            ("Title", SQLiteValue(title)), ("Author", SQLiteValue(author)),
            ("AuthorSort", SQLiteValue(authorSort)), ("CalibreTitleSort", SQLiteValue(titleSort)),
            ("CalibreSeries", .text(series)),
            ("CalibreSeriesIndex", .text(seriesIndex.map { "\($0)" } ?? "")),
            ("CalibreCoverHash", SQLiteValue(coverHash)), ("DateAdded", .real(added)),
            ("DatePublished", SQLiteValue(publicationDate.map { String($0.unixSeconds) })),
            ("Description", SQLiteValue(description)), ("FileName", .text(fileName)), ("Hash", .text(hash)),
            ("IsRead", SQLiteValue(flags.contains(MarvinFlag.read))),
            ("NewFlag", SQLiteValue(flags.contains(MarvinFlag.new))),
            ("ReadingList", SQLiteValue(flags.contains(MarvinFlag.readingList))),
            ("Publisher", SQLiteValue(publisher)), ("UUID", .text(uuid)), ("CoverFile", .text(hash + ".jpg")),
            ("Pin", SQLiteValue(isLocked)), ("WordCount", .integer(Int64(wordCount ?? 0))),
            ("Progress", .real(0)),
            ("Rating", .real(0)), ("DeepViewPrepared", .integer(0)), ("MetadataUpdated", .real(added)),
            ("SmallCoverJpg", smallCover.map { .blob($0) } ?? .null),
            ("LargeCoverJpg", largeCover.map { .blob($0) } ?? .null),
        ]
    }
}

extension SQLiteValue {
    init(_ text: String?) {
        self = text.map { .text($0) } ?? .null
    }

    init(_ flag: Bool) {
        self = .integer(flag ? 1 : 0)
    }
}

/// The flags that the protocol transfers as if they were collections.
enum MarvinFlag {
    static let new = "NEW"
    static let read = "READ"
    static let readingList = "READING LIST"

    /// The columns of the flags, by name.
    static let columns = [new: "NewFlag", read: "IsRead", readingList: "ReadingList"]

    /// The names that are not names of flags.
    static func collections(in names: [String]) -> [String] {
        names.filter { columns[$0.uppercased()] == nil }
    }
}
