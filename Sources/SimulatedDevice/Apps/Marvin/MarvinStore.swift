import MarvinCommands
import FoundationEssentials
import Glibc

/// Marvin's library, which keeps the database, the book files and the cover files consistent. Used by one thread at a
/// time.
final class MarvinStore {
    let container: MarvinContainer
    let database: SQLiteDatabase
    private let columns: Set<String>
    private let tables: Set<String>

    /// Opens the library. Creates an empty one if there is none.
    ///
    /// - Parameter traits: the properties of a new library; they have no effect on an existing one.
    init(_ container: MarvinContainer, traits: MarvinDatabaseTraits = []) throws {
        self.container = container
        try container.makeFolders()
        database = try SQLiteDatabase(container.database.path)
        try database.execute("PRAGMA synchronous = OFF")
        let names = "SELECT name FROM sqlite_master WHERE type = 'table'"
        if try database.run(names).isEmpty {
            var traits = traits
            if container.smallCovers == nil { traits.insert(.coverBlobs) }
            try database.execute(MarvinSchema.statements(traits))
        }
        tables = Set(try database.run(names).compactMap { $0.first?.text })
        columns = Set(
            try database.run("SELECT name FROM pragma_table_info('Books')").compactMap { $0.first?.text })
    }

    /// The id of a book, found by the name of its file or else by its UUID.
    func find(fileName: String, uuid: String) throws(SimulationError) -> Int64? {
        let byName = try database.run("SELECT ID FROM Books WHERE FileName = ?", [.text(fileName)])
        if let id = byName.first?.first?.integer { return id }
        guard !uuid.isEmpty else { return nil }
        return try database.run("SELECT ID FROM Books WHERE UUID = ?", [.text(uuid)]).first?.first?.integer
    }

    /// Adds the rows and covers of a book. Its file must already be in place.
    func add(_ book: MarvinBook, id: Int64? = nil) throws {
        try writeCovers(of: book)
        let values =
            (id.map { [("ID", SQLiteValue.integer($0))] } ?? [])
            + book.row.filter { columns.contains($0.column) }
        let names = values.map(\.0).joined(separator: ", ")
        let marks = values.map { _ in "?" }.joined(separator: ", ")
        try database.run("INSERT INTO Books (\(names)) VALUES (\(marks))", values.map(\.1))
        let id = id ?? database.lastRowID
        try setSubjects(book.subjects, of: id)
        try setCollections(book.collections, of: id)
    }

    /// Removes the rows and covers of a book, and its file unless `keepingFile` is true.
    func remove(_ id: Int64, keepingFile: Bool = false) throws {
        let row = try database.run("SELECT FileName, Hash FROM Books WHERE ID = ?", [.integer(id)]).first
        for table in MarvinSchema.dependents where tables.contains(table) {
            try database.run("DELETE FROM \(table) WHERE BookID = ?", [.integer(id)])
        }
        try database.run("DELETE FROM Books WHERE ID = ?", [.integer(id)])
        guard let row, row.count == 2 else { return }
        if let hash = row[1].text, MarvinStore.isPlainName(hash) {
            for folder in [container.smallCovers, container.largeCovers].compactMap({ $0 }) {
                try removeIfPresent(folder.appendingPathComponent(hash + ".jpg"))
            }
        }
        if !keepingFile, let name = row[0].text, MarvinStore.isPlainName(name) {
            try removeIfPresent(container.documents.appendingPathComponent(name))
        }
    }

    /// Sets columns of a book. Columns that the table does not have are ignored.
    func set(_ values: [(column: String, value: SQLiteValue)], of id: Int64) throws(SimulationError) {
        let known = values.filter { columns.contains($0.column) }
        guard !known.isEmpty else { return }
        let list = known.map { "\($0.column) = ?" }.joined(separator: ", ")
        try database.run("UPDATE Books SET \(list) WHERE ID = ?", known.map(\.value) + [.integer(id)])
    }

    /// Replaces the subjects of a book.
    func setSubjects(_ subjects: [String], of id: Int64) throws(SimulationError) {
        guard tables.contains("BookSubjects") else { return }
        try database.run("DELETE FROM BookSubjects WHERE BookID = ?", [.integer(id)])
        for subject in subjects {
            try database.run("INSERT INTO BookSubjects VALUES (?, ?)", [.integer(id), .text(subject)])
        }
    }

    /// Replaces the collections and flags of a book. Creates missing collections.
    func setCollections(_ names: [String], of id: Int64) throws(SimulationError) {
        let flags = Set(names.map { $0.uppercased() })
        try set(MarvinFlag.columns.map { ($0.value, SQLiteValue(flags.contains($0.key))) }, of: id)
        try database.run("DELETE FROM BookCollections WHERE BookID = ?", [.integer(id)])
        for name in Set(MarvinFlag.collections(in: names)).sorted() {
            let found = try database.run("SELECT ID FROM Collections WHERE Name = ?", [.text(name)])
            var collection = found.first?.first?.integer
            if collection == nil {
                try database.run("INSERT INTO Collections (Name) VALUES (?)", [.text(name)])
                collection = database.lastRowID
            }
            try database.run(
                "INSERT INTO BookCollections VALUES (?, ?)", [.integer(id), .integer(collection ?? 0)])
        }
    }

    /// Removes collections without books.
    func removeEmptyCollections() throws(SimulationError) {
        try database.execute(
            "DELETE FROM Collections WHERE ID NOT IN (SELECT CollectionID FROM BookCollections)")
    }

    /// Sets both covers of a book to one image.
    func setCover(_ cover: EmbeddedCover, of id: Int64) throws {
        let hash = try database.run("SELECT Hash FROM Books WHERE ID = ?", [.integer(id)]).first?.first?.text
        var book = MarvinBook(fileName: "", uuid: "", hash: hash ?? "", added: 0)
        book.smallCover = cover.data
        book.largeCover = cover.data
        if MarvinStore.isPlainName(book.hash) { try writeCovers(of: book) }
        try set(
            [
                ("CalibreCoverHash", .text(cover.hash)), ("SmallCoverJpg", .blob(cover.data)),
                ("LargeCoverJpg", .blob(cover.data)),
            ], of: id)
    }

    /// Whether a name stays inside the folder in which it is looked up.
    static func isPlainName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    private func writeCovers(of book: MarvinBook) throws {
        for (folder, image) in [
            (container.smallCovers, book.smallCover), (container.largeCovers, book.largeCover),
        ] {
            guard let folder, let image else { continue }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try AppFile.write(image, to: folder.appendingPathComponent(book.hash + ".jpg"))
        }
    }

    private func removeIfPresent(_ url: URL) throws {
        do {
            try FileManager.default.removeItem(at: url)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return
        }
    }
}
