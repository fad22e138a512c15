import FoundationEssentials
import Glibc

/// Fills the container of a simulated Marvin with a library, before the app is started.
public struct MarvinLibrary: Sendable {
    /// Where the library is.
    public let container: MarvinContainer
    /// What is unusual about its database.
    public let traits: MarvinDatabaseTraits

    /// `traits`: of the database, which is made with the first book.
    public init(_ container: MarvinContainer, traits: MarvinDatabaseTraits = []) {
        self.container = container
        self.traits = traits
    }

    /// Copies EPUB files into the library, as if they had been there for a while, and returns their names on the device.
    ///
    /// The same files give the same library, apart from the dates added. A book's name on the device is its uuid, made
    /// from its content, with `.epub`; a file that is named after a uuid keeps its name. Every book is in a collection named
    /// after its language, if it says which.
    ///
    /// - Throws: `SimulationError` for a file that is not an EPUB, and errors of the file system.
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

    /// Makes books for measurements, the same ones each time: 7 authors, 40 series, 2 subjects and up to 2 collections
    /// per book, a small cover of `coverBytes` or more, and one and the same tiny EPUB for all.
    ///
    /// - `coverBytes`: what a small cover of the real app has is about 25,000.
    /// - `largeCovers`: whether there are large covers as well.
    /// - Returns: the books' names on the device, in the order of their ids.
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

    /// Makes the library look as if it was last changed yesterday.
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

    /// The connection to the database closes when this returns.
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
            // Closing would bring the log into the database, so both are put aside and brought back.
            try withExtendedLifetime(store) {
                try FileManager.default.copyItem(at: container.database, to: asideDatabase)
                try FileManager.default.copyItem(at: log, to: asideLog)
            }
        }
    }

    /// The app makes an empty library at its first launch, without the traits wanted here.
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

/// What is unusual about the database a `MarvinLibrary` makes.
public struct MarvinDatabaseTraits: OptionSet, Sendable, Hashable {
    /// One bit per trait.
    public let rawValue: Int

    /// Traits by their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The journal mode is WAL.
    public static let writeAheadLog = MarvinDatabaseTraits(rawValue: 1 << 0)
    /// The journal mode is WAL, and the second half of the books is only in the log.
    public static let uncheckpointedLog = MarvinDatabaseTraits(rawValue: 1 << 1)
    /// Every third book has NULL for its title, author and description.
    public static let nullTitles = MarvinDatabaseTraits(rawValue: 1 << 2)
    /// Books belong to collections that do not exist.
    public static let danglingCollections = MarvinDatabaseTraits(rawValue: 1 << 3)
    /// The columns that not every version has are missing, and so is the table of subjects.
    public static let missingColumns = MarvinDatabaseTraits(rawValue: 1 << 4)
    /// Covers are BLOBs in the table of books, as before Marvin 2.1, and there are no cover files.
    public static let coverBlobs = MarvinDatabaseTraits(rawValue: 1 << 5)
}
