import OverlayKitTesting
import MarvinCommands
import Foundation
import TestSupport

@testable import Marvin

/// The reader app on a fake host's device. It acts while the host waits.
final class FakeMarvin {
    /// Called in the middle of a command, after `interruptionAfter` books.
    enum Interruption { case none, offline, leaves, dies, cancels }

    let host: MarvinTestHost
    let library: LibraryFixture
    /// If false, the app is online but never looks at commands.
    var answers = true
    /// Commands that it ignores.
    var ignored: Set<String> = []
    var interruption = Interruption.none
    var interruptionAfter = 0
    /// Reasons to reject books, by file name.
    var rejections: [String: String] = [:]
    /// Additional messages.
    var messages: [String] = []
    /// Ends every command with this code without doing anything.
    var refusal: CommandStatus.Code?
    /// If false, the app reports success without doing anything.
    var isHonest = true
    /// Whether a replaced book loses all values that its file lacks. The files here have none.
    var startsReplacedBooksAnew = false
    /// If false, the app crashes before it deletes the command file.
    var deletesCommand = true
    /// The library's name for a cover that was sent with a hash.
    var coverName: (String) -> String = { $0 }
    /// Called when a command was read.
    var onCommand: (Command) -> Void = { _ in }
    /// Commands in order.
    private(set) var commands: [Command] = []
    private var queue: CommandQueue
    private var running: (command: Command, done: Int, messages: [String])?
    private var isDead = false
    private var time: Int64 = 17_000_000_000

    init(_ host: MarvinTestHost, mode: String = "WAL", state: ConnectionStatus.State? = .online) throws {
        self.host = host
        library = try LibraryFixture(path: host.url("/Library/mainDb.sqlite").path, mode: mode)
        queue = CommandQueue(
            identity: ConnectionStatus(
                timestamp: CommandTimestamp(seconds: 0), state: .online, appVersion: "2.7.1",
                device: "iPad2,5",
                system: "8.1.3"))
        if state != nil { perform(queue.handle(.entered, at: tick())) }
        if state == .offline { perform(queue.handle(.suspended, at: tick())) }
        host.onWait = { [unowned self] in turn() }
    }

    /// Adds a book with its file.
    func add(_ name: String, uuid: String, title: String = "T", author: String = "A", content: String = "old")
        throws
    {
        try Data(content.utf8).write(to: host.url("/Documents/\(name)"))
        try library.add([
            "FileName": "'\(name)'", "UUID": "'\(uuid)'", "Title": "'\(title)'", "Author": "'\(author)'",
        ])
    }

    func staged() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: host.url("/Library/calibre").path).sorted()
    }

    func documents() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: host.url("/Documents").path).sorted()
    }

    /// The commands of one kind, in order.
    var updates: [UpdateMetadata] {
        commands.compactMap { if case .updateMetadata(let update) = $0 { update } else { nil } }
    }
    var rebuilds: [RebuildCollections] {
        commands.compactMap { if case .rebuildCollections(let rebuild) = $0 { rebuild } else { nil } }
    }

    /// Performs one turn of the app: looks for a command, or processes one book of the running command.
    func turn() {
        guard !isDead, answers else { return }
        guard let current = running else {
            guard let names = attempt({ try staged() }) else { return }
            return perform(queue.handle(.found(names.filter { !ignored.contains($0) }), at: tick()))
        }
        let names = current.command.fileNames
        if interruption != .none, current.done >= interruptionAfter { return interrupt() }
        guard current.done < names.count, refusal == nil else { return end() }
        if let message = work(current.command, current.done) { running?.messages.append(message) }
        running?.done += 1
        perform(queue.handle(.progressed(Double(current.done + 1) / Double(names.count)), at: tick()))
        if let found = attempt({ try staged() }), found.contains(StagingFile.cancel) {
            perform(queue.handle(.found(found), at: tick()))
        }
    }

    private func end(_ code: CommandStatus.Code? = nil) {
        guard let current = running else { return }
        running = nil
        let all = current.messages + messages
        let final = code ?? refusal ?? (all.isEmpty ? .success : .warnings)
        perform(queue.handle(.finished(final, messages: all), at: tick()))
    }

    private func interrupt() {
        let kind = interruption
        interruption = .none
        switch kind {
        case .none: break
        case .offline: perform(queue.handle(.suspended, at: tick()))
        case .leaves: perform(queue.handle(.left, at: tick()))
        case .dies: isDead = true
        case .cancels: end(.cancelled)
        }
        if kind != .cancels { running = nil }
    }

    private func work(_ command: Command, _ index: Int) -> String? {
        let name = command.fileNames[index]
        if let reason = rejections[name] { return "[\(name)] \(reason)" }
        guard isHonest else { return nil }
        do {
            switch command {
            case .uploadBooks(let upload):
                let book = upload.books[index]
                let (from, to) = (host.url("/Library/calibre/\(name)"), host.url("/Documents/\(name)"))
                guard FileManager.default.fileExists(atPath: from.path) else {
                    return "[\(name)] file not found"
                }
                let isThere = FileManager.default.fileExists(atPath: to.path)
                if isThere, !upload.overwrite { return "[\(name)] already in the library" }
                rename(from.path, to.path)
                let flag = book.collections.contains("NEW") ? "1" : "0"
                if isThere, startsReplacedBooksAnew {
                    try library.setSubjects([], of: name)
                    try library.run("DELETE FROM Books WHERE FileName = '\(name)'")
                }
                if !isThere || startsReplacedBooksAnew {
                    let hash = book.cover?.hash ?? book.coverHash
                    let uuid = name.hasSuffix(".epub") ? String(name.dropLast(5)) : name
                    try library.add([
                        "FileName": "'\(name)'", "UUID": "'\(uuid)'", "NewFlag": flag,
                        "Pin": book.isLocked ? "1" : "0", "WordCount": "\(book.wordCount ?? 0)",
                        "CalibreCoverHash": hash.map(LibraryFixture.quoted) ?? "NULL",
                    ])
                }
            case .deleteBooks:
                try library.run("DELETE FROM Books WHERE FileName = '\(name)'")
                unlink(host.url("/Documents/\(name)").path)
            case .updateMetadata(let command): try update(command.books[index])
            case .rebuildCollections(let rebuild):
                try library.setCollections(rebuild.books[index].collections, of: name)
            case .updateItems, .app: break
            }
            return nil
        } catch {
            return "[\(name)] \(error)"
        }
    }

    private func update(_ book: UpdateMetadata.Book) throws {
        let quoted = LibraryFixture.quoted
        let attributes: [(UpdateMetadata.Attribute, String)] = [
            (.title, "Title = \(quoted(book.title))"), (.author, "Author = \(quoted(book.author))"),
            (.authorSort, "AuthorSort = \(quoted(book.authorSort))"),
            (.titleSort, "CalibreTitleSort = \(quoted(book.titleSort))"),
            (.publisher, "Publisher = \(quoted(book.publisher))"),
            (.series, "CalibreSeries = \(quoted(book.series))"),
            (.seriesIndex, "CalibreSeriesIndex = '\(book.seriesIndex.map { "\($0)" } ?? "")'"),
            (.rating, "Rating = \(book.rating ?? 0)"),
        ]
        var values = attributes.filter { !book.unknown.contains($0.0) }.map(\.1)
        values += [
            "DatePublished = \(book.publicationDate.map { "\($0.unixSeconds)" } ?? "NULL")",
            "Description = \(book.description.map(quoted) ?? "NULL")",
        ]
        if let isLocked = book.isLocked { values.append("Pin = \(isLocked ? 1 : 0)") }
        if let count = book.wordCount { values.append("WordCount = \(count)") }
        if let cover = book.cover { values.append("CalibreCoverHash = \(quoted(coverName(cover.hash)))") }
        try library.run(
            "UPDATE Books SET \(values.joined(separator: ", ")) WHERE FileName = \(quoted(book.fileName))")
        if let collections = book.collections { try library.setCollections(collections, of: book.fileName) }
        if let subjects = book.subjects { try library.setSubjects(subjects, of: book.fileName) }
    }

    private func perform(_ actions: [CommandQueue.Action]) {
        for action in actions {
            switch action {
            case .writeConnection(let connection): write(StagingFile.connection, connection.encoded())
            case .removeConnection: unlink(host.url("/Library/calibre/connected.xml").path)
            case .read(let name):
                let bytes = host.bytes(of: "/Library/calibre/\(name)", 0, .max)
                perform(queue.handle(bytes.map { .contents($0) } ?? .unreadable("gone"), at: tick()))
            case .execute(let command):
                commands.append(command)
                running = (command, 0, [])
                onCommand(command)
            case .stop: end(.cancelled)
            case .writeStatus(let status): write(StagingFile.status, status.encoded())
            case .remove(let name):
                guard deletesCommand || !name.hasSuffix(".xml") else {
                    isDead = true
                    break
                }
                unlink(host.url("/Library/calibre/\(name)").path)
            }
        }
    }

    private func write(_ name: String, _ bytes: [UInt8]) {
        attempt { try Data(bytes).write(to: host.url("/Library/calibre/\(name)")) }
    }

    private func tick() -> Int64 {
        time += 1
        return time
    }
}
