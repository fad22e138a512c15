/// The tables of Marvin's database.
///
/// The column names are those that hosts read. The declared types, indices and journal mode of the real app are
/// unknown.
enum MarvinSchema {
    private static let columns: [(name: String, type: String, isOptional: Bool)] = [
        ("ID", "INTEGER PRIMARY KEY", false), ("Title", "TEXT", false), ("Author", "TEXT", false),
        ("AuthorSort", "TEXT", false), ("CalibreCoverHash", "TEXT", true), ("CalibreSeries", "TEXT", false),
        ("CalibreSeriesIndex", "TEXT", false), ("CalibreTitleSort", "TEXT", true),
        ("CoverFile", "TEXT", true),
        ("DateAdded", "REAL", false), ("DateOpened", "REAL", true), ("DatePublished", "TEXT", false),
        ("DeepViewPrepared", "INTEGER", true), ("Description", "TEXT", false), ("FileName", "TEXT", false),
        ("Hash", "TEXT", false), ("IsRead", "INTEGER", false), ("MetadataUpdated", "REAL", true),
        ("NewFlag", "INTEGER", false), ("Note", "TEXT", true), ("Pin", "INTEGER", true),
        ("Progress", "REAL", true),
        ("Publisher", "TEXT", false), ("Rating", "REAL", true), ("ReadingList", "INTEGER", true),
        ("UUID", "TEXT", false), ("WordCount", "INTEGER", true),
    ]

    private static let blobs: [(name: String, type: String, isOptional: Bool)] = [
        ("SmallCoverJpg", "BLOB", false), ("LargeCoverJpg", "BLOB", false),
    ]

    /// The statements that create an empty library.
    static func statements(_ traits: MarvinDatabaseTraits) -> String {
        let isBare = traits.contains(.missingColumns)
        let wanted = (columns + (traits.contains(.coverBlobs) ? blobs : [])).filter {
            !(isBare && $0.isOptional)
        }
        let list = wanted.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
        let isLogged = !traits.isDisjoint(with: [.writeAheadLog, .uncheckpointedLog])
        return """
            PRAGMA journal_mode = \(isLogged ? "WAL" : "DELETE");
            PRAGMA user_version = 1;
            BEGIN;
            CREATE TABLE Books (\(list));
            CREATE TABLE Collections (ID INTEGER PRIMARY KEY, Name TEXT);
            CREATE TABLE BookCollections (BookID INTEGER, CollectionID INTEGER);
            CREATE INDEX BookCollectionsByBook ON BookCollections (BookID);
            \(isBare ? "" : subjects)
            CREATE TABLE Highlights (BookID INTEGER, UUID TEXT, Text TEXT, Note TEXT, NoteDateTime REAL,
                Colour INTEGER, Section INTEGER, StartXPath TEXT, StartOffset INTEGER, Deleted INTEGER);
            CREATE TABLE Bookmarks (BookID INTEGER, Colour INTEGER, Location TEXT, SectionNumber INTEGER, Text TEXT);
            CREATE TABLE PinnedArticles (BookID INTEGER, Title TEXT, URL TEXT);
            CREATE TABLE Wiki (BookID INTEGER, Title TEXT, Snippet TEXT);
            CREATE TABLE Vocabulary (BookID INTEGER, Word TEXT);
            COMMIT;
            """
    }

    private static let subjects = """
        CREATE TABLE BookSubjects (BookID INTEGER, Subject TEXT);
        CREATE INDEX BookSubjectsByBook ON BookSubjects (BookID);
        """

    /// The tables whose rows are deleted together with their book.
    static let dependents = [
        "BookSubjects", "BookCollections", "Highlights", "Bookmarks", "PinnedArticles", "Wiki", "Vocabulary",
    ]
}
