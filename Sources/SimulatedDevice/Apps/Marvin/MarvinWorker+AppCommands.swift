import MarvinCommands
import FoundationEssentials
import Glibc
import Platform

/// Carries out the commands of the companion plugin.
extension MarvinWorker {
    /// The steps of a command: one per book, or one for the whole command.
    func steps(of command: AppCommand) -> [() throws -> String?] {
        switch command.kind {
        case .lockBooks: steps(command) { try self.store().set([("Pin", .integer(1))], of: $0) }
        case .unlockBooks: steps(command) { try self.store().set([("Pin", .integer(0))], of: $0) }
        case .generateDeepView: steps(command) { try self.store().makeDeepView(of: $0) }
        case .updateGlobalCollections: [{ try self.updateCollections(command) }]
        case .deepViewArticles, .localVocabulary, .firstOccurrence, .globalVocabulary:
            [{ try self.answerPage(command) }]
        case .backup: [{ try self.backUp() }]
        case .backupManifest: [{ try self.listBackup() }]
        default: [{ "unknown command type \(command.kind.rawValue)" }]
        }
    }

    private func steps(
        _ command: AppCommand, _ work: @escaping (Int64) throws -> Void
    ) -> [() throws -> String?] {
        command.books.map { book in
            {
                guard let id = try self.store().find(fileName: book.fileName, uuid: book.uuid) else {
                    return "[\(book.fileName)] no such book in the library"
                }
                try work(id)
                return nil
            }
        }
    }

    /// Updates a book partially. Values that the command does not name stay unchanged.
    func update(_ entry: UpdateItems.Book) throws -> String? {
        let (name, uuid) = (entry.identity.fileName, entry.identity.uuid)
        guard let id = try store().find(fileName: name, uuid: uuid) else {
            return "[\(name)] no such book in the library"
        }
        var values: [(column: String, value: SQLiteValue)] = []
        if let rating = entry.rating { values.append(("Rating", .real(rating))) }
        if let count = entry.wordCount { values.append(("WordCount", .integer(Int64(count)))) }
        if let uuid = entry.newUUID { values.append(("UUID", .text(uuid))) }
        try store().set(values, of: id)
        if let collections = entry.collections { try store().setCollections(collections, of: id) }
        if let cover = entry.cover { try store().setCover(cover, of: id) }
        return nil
    }

    private func updateCollections(_ command: AppCommand) throws -> String? {
        guard let name = command.parameter("name"), !name.isEmpty else { return "no collection is named" }
        switch command.parameter("action") {
        case "delete": return try store().renameCollection(name, to: nil)
        case "rename":
            guard let new = command.parameter("newname"), !new.isEmpty else { return "no new name is given" }
            return try store().renameCollection(name, to: new)
        case let action: return "unknown action \(action ?? "")"
        }
    }

    private func answerPage(_ command: AppCommand) throws -> String? {
        var body: [String]
        switch command.kind {
        case .globalVocabulary: body = try store().vocabulary(of: nil)
        case .firstOccurrence:
            guard let id = command.parameter("bookID").flatMap({ Int64($0) }), try store().has(id) else {
                return "no such book in the library"
            }
            let hits = command.parameter("hits").flatMap { Int($0) } ?? 1
            body = (0..<min(max(hits, 0), 100)).map {
                "Entity \(command.parameter("entityID") ?? ""), hit \($0 + 1)"
            }
        default:
            let (name, uuid) = (command.parameter("filename") ?? "", command.parameter("uuid") ?? "")
            guard let id = try store().find(fileName: name, uuid: uuid) else {
                return "[\(name)] no such book in the library"
            }
            body =
                try command.kind == .localVocabulary ? store().vocabulary(of: id) : store().articles(of: id)
        }
        if body.isEmpty { body = ["Nothing yet"] }
        let items = body.map { "<li>\(XMLText.escaped($0))</li>" }.joined()
        let page =
            "<html><head><title>\(command.kind.rawValue)</title></head><body><ul>\(items)</ul></body></html>"
        try answer("html_response.html", Array(page.utf8))
        return nil
    }

    private func backUp() throws -> String? {
        let folder = container.documents.appendingPathComponent("Backup", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let temporary = container.temporary.appendingPathComponent("marvin.backup")
        if FileManager.default.fileExists(atPath: temporary.path) {
            try FileManager.default.removeItem(at: temporary)
        }
        try store().database.run("VACUUM INTO ?", [.text(temporary.path)])
        guard rename(temporary.path, folder.appendingPathComponent("marvin.backup").path) == 0 else {
            return systemText(errno)
        }
        return nil
    }

    private func listBackup() throws -> String? {
        let rows = try store().database.run("SELECT FileName, UUID FROM Books ORDER BY ID")
        var root = "<?xml version='1.0' encoding='utf-8'?>\n<backupmanifest>\n"
        for row in rows {
            let name = XMLText.escaped(row.first?.text ?? "", quotes: .double)
            let uuid = XMLText.escaped(row.last?.text ?? "", quotes: .double)
            root += "<book filename=\"\(name)\" uuid=\"\(uuid)\"/>\n"
        }
        try answer("backup.xml", Array((root + "</backupmanifest>\n").utf8))
        return nil
    }
}
