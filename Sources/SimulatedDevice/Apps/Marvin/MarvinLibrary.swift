import FoundationEssentials
import Glibc

/// Fills the container of a simulated Marvin with a library before the app is started.
public struct MarvinLibrary: Sendable {
    /// The location of the library.
    public let container: MarvinContainer
    /// The unusual properties of its database.
    public let traits: MarvinDatabaseTraits

    /// `traits`: the properties of the database, which is created with the first book.
    public init(_ container: MarvinContainer, traits: MarvinDatabaseTraits = []) {
        self.container = container
        self.traits = traits
    }

    /// Copies EPUB files into the library as if they had been there for some time, and returns their names on the
    /// device.
    ///
    /// The same files produce the same library, except for the dates added. A book's name on the device is its UUID,
    /// which is derived from its content, with `.epub`. A file that is named after a UUID keeps its name. Each book
    /// that states its language is in a collection named after it.
    ///
    /// - Throws: `SimulationError` for a file that is not an EPUB, or an error of the file system.
    @discardableResult
    public func populate(books: [URL]) throws -> [String] {
        var names: [String] = []
        let now = Date().timeIntervalSince1970
        try fill(books.count) { index in
            let url = books[index]
            let file = try BookFile(url.path, subject: url.lastPathComponent)
            let content = try Data(contentsOf: url)
            var hash = ContentHash()
            hash.add(content.prefix(65_536))
            hash.add(url.lastPathComponent.utf8)
            let stem = url.deletingPathExtension().lastPathComponent
            let name = (BookFile.isUUID(stem) ? stem : hash.uuid) + ".epub"
            try AppFile.write(content, to: container.documents.appendingPathComponent(name))
            names.append(name)
            var book = MarvinBook(
                file, fileName: name, hash: hash,
                added: (now - Double(books.count - index) * 86_400).rounded())
            if !file.language.isEmpty { book.collections = ["Language: \(file.language)"] }
            return book
        }
        return names
    }

    /// Creates books for measurements, the same ones each time: 7 authors, 40 series, 2 subjects and up to 2
    /// collections per book, and a small cover of at least `coverBytes`. All books share one tiny EPUB.
    ///
    /// - `coverBytes`: the size of a small cover in bytes; about 25,000 in the real app.
    /// - `largeCovers`: whether to create large covers too.
    /// - Returns: the names of the books on the device, in the order of their ids.
    @discardableResult
    public func populateSynthetic(count: Int, coverBytes: Int = 25_000, largeCovers: Bool = false) throws
        -> [String]
    {
        let content = try Data(SyntheticBook.epub(in: container))
        var names: [String] = []
        try fill(count) { index in
            let book = SyntheticBook.book(index, coverBytes: coverBytes, largeCover: largeCovers)
            try AppFile.write(content, to: container.documents.appendingPathComponent(book.fileName))
            names.append(book.fileName)
            return book
        }
        return names
    }

    /// Runs SQL statements on the library's database, for tests that need an unusual library.
    public func execute(_ sql: String) throws {
        try MarvinStore(container, traits: traits).database.execute(sql)
    }

    private func fill(_ count: Int, _ make: (Int) throws -> MarvinBook) throws {
        let keepsLog = traits.contains(.uncheckpointedLog)
        let log = URL(fileURLWithPath: container.database.path + "-wal")
        let asideDatabase = container.temporary.appendingPathComponent("mainDb.sqlite")
        let asideLog = container.temporary.appendingPathComponent("mainDb.sqlite-wal")
        try addBooks(count, make, asideDatabase, asideLog, log)
        if keepsLog {
            try FileManager.default.removeItem(at: container.database)
            try FileManager.default.moveItem(at: asideDatabase, to: container.database)
            if FileManager.default.fileExists(atPath: log.path) {
                try FileManager.default.removeItem(at: log)
            }
            try FileManager.default.moveItem(at: asideLog, to: log)
        }
        try age(log)
    }

    /// Sets the library's modification time to yesterday.
    private func age(_ log: URL) throws {
        let manager = FileManager.default
        let past = Date(timeIntervalSinceNow: -86_400)
        for folder in [container.documents, container.smallCovers, container.largeCovers].compactMap({ $0 })
        where manager.fileExists(atPath: folder.path) {
            for name in try manager.contentsOfDirectory(atPath: folder.path) + ["."] {
                try manager.setAttributes(
                    [.modificationDate: past], ofItemAtPath: folder.appendingPathComponent(name).path)
            }
        }
        for file in [container.database, log] where manager.fileExists(atPath: file.path) {
            try manager.setAttributes([.modificationDate: past], ofItemAtPath: file.path)
        }
    }

    /// Adds books. The connection to the database is closed on return.
    private func addBooks(
        _ count: Int, _ make: (Int) throws -> MarvinBook, _ asideDatabase: URL, _ asideLog: URL, _ log: URL
    ) throws {
        let keepsLog = traits.contains(.uncheckpointedLog)
        try removeEmptyDatabase()
        let store = try MarvinStore(container, traits: traits)
        if keepsLog { try store.database.execute("PRAGMA wal_autocheckpoint = 0") }
        try store.database.execute("BEGIN")
        for index in 0..<count {
            var book = try make(index)
            if traits.contains(.nullTitles), index % 3 == 2 {
                book.title = nil
                book.author = nil
                book.description = nil
            }
            try store.add(book)
            if traits.contains(.danglingCollections) {
                try store.database.run(
                    "INSERT INTO BookCollections VALUES (?, 999999)",
                    [.integer(try store.find(fileName: book.fileName, uuid: "") ?? 0)])
            }
            if keepsLog, index == count / 2 {
                try store.database.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); BEGIN")
            }
        }
        try store.database.execute("COMMIT")
        if keepsLog {
            // Closing the connection would merge the log into the database, so both files are set aside and restored
            // afterwards.
            try withExtendedLifetime(store) {
                try FileManager.default.copyItem(at: container.database, to: asideDatabase)
                try FileManager.default.copyItem(at: log, to: asideLog)
            }
        }
    }

    /// Removes the empty library that the app creates on first launch, because it lacks the required traits.
    private func removeEmptyDatabase() throws {
        guard FileManager.default.fileExists(atPath: container.database.path) else { return }
        guard try MarvinStore(container).database.run("SELECT 1 FROM Books LIMIT 1").isEmpty else { return }
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let path = container.database.path + suffix
            if FileManager.default.fileExists(atPath: path) {
                try FileManager.default.removeItem(atPath: path)
            }
        }
    }
}

/// The unusual properties of the database that a `MarvinLibrary` creates.
public struct MarvinDatabaseTraits: OptionSet, Sendable, Hashable {
    /// The bits of the set, one for each trait.
    public let rawValue: Int

    /// Creates a set of traits from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The journal mode is WAL.
    public static let writeAheadLog = MarvinDatabaseTraits(rawValue: 1 << 0)
    /// The journal mode is WAL, and the second half of the books exists only in the log.
    public static let uncheckpointedLog = MarvinDatabaseTraits(rawValue: 1 << 1)
    /// The title, author and description of every third book are NULL.
    public static let nullTitles = MarvinDatabaseTraits(rawValue: 1 << 2)
    /// Books belong to collections that do not exist.
    public static let danglingCollections = MarvinDatabaseTraits(rawValue: 1 << 3)
    /// The columns that some versions lack are missing, and so is the table of subjects.
    public static let missingColumns = MarvinDatabaseTraits(rawValue: 1 << 4)
    /// Covers are BLOBs in the table of books, as before Marvin 2.1, and there are no cover files.
    public static let coverBlobs = MarvinDatabaseTraits(rawValue: 1 << 5)
}
