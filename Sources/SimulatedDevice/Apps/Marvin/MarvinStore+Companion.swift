import MarvinCommands
import FoundationEssentials
import Glibc

/// The library operations for the companion plugin.
extension MarvinStore {
    /// Whether there is a book with that id.
    func has(_ id: Int64) throws(SimulationError) -> Bool {
        try !database.run("SELECT 1 FROM Books WHERE ID = ?", [.integer(id)]).isEmpty
    }

    /// Marks a book as prepared and creates the two tables that Deep View has for each book.
    func makeDeepView(of id: Int64) throws(SimulationError) {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS Entities_\(id) (ID INTEGER PRIMARY KEY, Name TEXT, Flag INTEGER, Note TEXT,
                Confidence REAL);
            CREATE TABLE IF NOT EXISTS EntityLocations_\(id) (EntityID INTEGER, SectionIndex INTEGER,
                SentenceIndex INTEGER);
            """)
        try set([("DeepViewPrepared", .integer(1))], of: id)
    }

    /// Renames a collection, or removes it if `new` is nil. Merges collections of the same name. Returns a
    /// description of the problem, or nil.
    func renameCollection(_ name: String, to new: String?) throws(SimulationError) -> String? {
        func id(_ name: String) throws(SimulationError) -> Int64? {
            try database.run("SELECT ID FROM Collections WHERE Name = ?", [.text(name)]).first?.first?.integer
        }
        guard let old = try id(name) else { return "no collection is called \(name)" }
        guard let new else {
            try database.run("DELETE FROM BookCollections WHERE CollectionID = ?", [.integer(old)])
            try database.run("DELETE FROM Collections WHERE ID = ?", [.integer(old)])
            return nil
        }
        guard let other = try id(new), other != old else {
            try database.run("UPDATE Collections SET Name = ? WHERE ID = ?", [.text(new), .integer(old)])
            return nil
        }
        try database.run(
            """
            DELETE FROM BookCollections WHERE CollectionID = ?1
                AND BookID IN (SELECT BookID FROM BookCollections WHERE CollectionID = ?2)
            """, [.integer(old), .integer(other)])
        try database.run(
            "UPDATE BookCollections SET CollectionID = ? WHERE CollectionID = ?",
            [.integer(other), .integer(old)])
        try database.run("DELETE FROM Collections WHERE ID = ?", [.integer(old)])
        return nil
    }

    /// The words that were looked up in a book, or in all books if `id` is nil.
    func vocabulary(of id: Int64?) throws(SimulationError) -> [String] {
        let rows =
            if let id {
                try database.run(
                    "SELECT Word FROM Vocabulary WHERE BookID = ? ORDER BY Word", [.integer(id)])
            } else {
                try database.run("SELECT DISTINCT Word FROM Vocabulary ORDER BY Word")
            }
        return rows.compactMap { $0.first?.text }
    }

    /// The titles of the articles pinned to a book.
    func articles(of id: Int64) throws(SimulationError) -> [String] {
        try database.run("SELECT Title FROM PinnedArticles WHERE BookID = ? ORDER BY Title", [.integer(id)])
            .compactMap { $0.first?.text }
    }

    /// Adds EPUBs found among the documents, as the app does when it starts. Other files are left alone.
    func adoptDocuments() throws {
        let manager = FileManager.default
        for name in try manager.contentsOfDirectory(atPath: container.documents.path).sorted()
        where name.lowercased().hasSuffix(".epub") {
            guard try find(fileName: name, uuid: "") == nil else { continue }
            let path = container.documents.appendingPathComponent(name)
            let file: BookFile
            do {
                file = try BookFile(path.path, subject: name)
            } catch {
                continue
            }
            var hash = ContentHash()
            hash.add(try Data(contentsOf: path).prefix(65_536))
            hash.add(name.utf8)
            var book = MarvinBook(
                file, fileName: name, hash: hash, added: Date().timeIntervalSince1970.rounded())
            book.collections = [MarvinFlag.new]
            try add(book)
        }
    }
}
