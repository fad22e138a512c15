import Diagnostics
import MarvinCommands
import FoundationEssentials
import Glibc
import Platform

extension MarvinWorker {
    /// The steps of a command, one per book. Each does its work and returns a warning, or nil.
    func steps(of command: Command) -> [() throws -> String?] {
        switch command {
        case .uploadBooks(let command):
            command.books.map { book in { try self.upload(book, overwrite: command.overwrite) } }
        case .deleteBooks(let command):
            command.books.map { book in { try self.delete(book) } }
        case .updateMetadata(let command):
            command.books.map { book in { try self.update(book) } }
        case .rebuildCollections(let command):
            command.books.map { book in { try self.rebuild(book) } }
        case .updateItems(let command):
            command.books.map { book in { try self.update(book) } }
        case .app(let command):
            steps(of: command)
        }
    }

    /// The work after all books.
    func finish(_ command: Command) throws {
        if case .updateMetadata(let command) = command, command.cleansUpCollections {
            try store().removeEmptyCollections()
        }
    }

    /// Moves a staged file into the library. A rejected file stays in the staging folder.
    private func upload(_ entry: UploadBooks.Book, overwrite: Bool) throws -> String? {
        let name = entry.fileName
        guard MarvinStore.isPlainName(name) else { return "[\(name)] not a valid file name" }
        let staged = container.staging.appendingPathComponent(name)
        var information = stat()
        guard lstat(staged.path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            return "[\(name)] file not found"
        }
        let file: BookFile
        do {
            file = try BookFile(staged.path, subject: name)
        } catch {
            return "[\(name)] " + (error.code == .invalidBook ? "not a valid EPUB" : error.message)
        }
        var hash = ContentHash()
        hash.add(try FileBeginning.read(staged.path, length: 65_536))
        hash.add("\(information.st_size) \(name)".utf8)

        var book = MarvinBook(file, fileName: name, hash: hash, added: Date().timeIntervalSince1970.rounded())
        book.collections = entry.collections
        book.coverHash = entry.cover?.hash ?? entry.coverHash
        book.isLocked = entry.isLocked
        book.wordCount = entry.wordCount
        if let cover = entry.cover {
            book.smallCover = cover.data
            book.largeCover = cover.data
        }
        let present = try store().find(fileName: name, uuid: book.uuid)
        if present != nil, !overwrite { return "[\(name)] the book is already in the library" }
        // Done before the old entry is removed, because a host may take its staged file back at any time.
        guard rename(staged.path, container.documents.appendingPathComponent(name).path) == 0 else {
            return "[\(name)] \(systemText(errno))"
        }
        if let present {
            let sameName = try store().database.run(
                "SELECT FileName FROM Books WHERE ID = ?", [.integer(present)])
            try store().remove(present, keepingFile: sameName.first?.first?.text == name)
        }
        try store().add(book, id: present)
        return nil
    }

    private func delete(_ entry: DeleteBooks.Book) throws -> String? {
        guard let id = try store().find(fileName: entry.fileName, uuid: entry.uuid) else {
            return "[\(entry.fileName)] no such book in the library"
        }
        try store().remove(id)
        return nil
    }

    /// Replaces the metadata of a book. Everything that the command leaves out is unknown to the host and becomes
    /// empty, except for what the protocol marks as optional: locks, word counts, lists and the cover.
    private func update(_ entry: UpdateMetadata.Book) throws -> String? {
        guard let id = try store().find(fileName: entry.fileName, uuid: entry.uuid) else {
            return "[\(entry.fileName)] no such book in the library"
        }
        var values: [(column: String, value: SQLiteValue)] = [
            ("Author", .text(entry.author)), ("AuthorSort", .text(entry.authorSort)),
            ("DatePublished", SQLiteValue(entry.publicationDate.map { String($0.unixSeconds) })),
            ("Publisher", .text(entry.publisher)), ("Rating", .real(entry.rating ?? 0)),
            ("CalibreSeries", .text(entry.series)),
            ("CalibreSeriesIndex", .text(entry.seriesIndex.map { "\($0)" } ?? "")),
            ("Title", .text(entry.title)), ("CalibreTitleSort", .text(entry.titleSort)),
            ("Description", SQLiteValue(entry.description)),
            ("MetadataUpdated", .real(Date().timeIntervalSince1970.rounded())),
        ]
        if !entry.uuid.isEmpty { values.append(("UUID", .text(entry.uuid))) }
        if let isLocked = entry.isLocked { values.append(("Pin", SQLiteValue(isLocked))) }
        if let wordCount = entry.wordCount { values.append(("WordCount", .integer(Int64(wordCount)))) }
        try store().set(values, of: id)
        if let subjects = entry.subjects { try store().setSubjects(subjects, of: id) }
        if let collections = entry.collections { try store().setCollections(collections, of: id) }
        if let cover = entry.cover { try store().setCover(cover, of: id) }
        return nil
    }

    private func rebuild(_ entry: RebuildCollections.Book) throws -> String? {
        guard let id = try store().find(fileName: entry.fileName, uuid: entry.uuid) else {
            return "[\(entry.fileName)] no such book in the library"
        }
        try store().setCollections(entry.collections, of: id)
        return nil
    }
}
