import MarvinCommands
import Foundation
import TestSupport

@testable import SimulatedDevice

/// A running simulated Marvin in its own folder, and a host that communicates with it through that folder.
final class MarvinBench: CommandExchangeHost {
    private let folder: TemporaryFolder
    let container: MarvinContainer
    let app: SimulatedMarvin
    /// The path of the staging folder in the container.
    private let stagingPath: String
    private let watch: FolderWatch
    private let started = ContinuousClock.now
    var isCancelled = false
    private(set) var reports: [Double] = []
    /// Called after each check of the status.
    var afterLook: (MarvinBench, CommandExchange.Reply) -> Void = { _, _ in }
    /// How often the status could not be read.
    private(set) var unreadableLooks = 0

    init(
        version: String = "2.7.1", place: MarvinContainer.Place = .library,
        behaviour: MarvinBehaviour = MarvinBehaviour(),
        fill: (MarvinContainer) throws -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        container = MarvinContainer(folder: folder.url, version: version, place: place)
        let inside = String(container.staging.path.dropFirst(folder.url.path.count))
        stagingPath = inside.hasPrefix("/") ? inside : "/" + inside
        try fill(container)
        app = SimulatedMarvin(container: container, behaviour: behaviour)
        try app.start()
        watch = try FolderWatch(container.staging.path, for: FolderWatch.arrivals)
    }

    deinit {
        app.stop()
    }

    // MARK: The host's side

    var now: Duration { started.duration(to: .now) }

    func perform(_ action: CommandExchange.Action) -> CommandExchange.Reply {
        do {
            let reply = try attempt(action)
            if case .read(let path) = action, path.hasSuffix(StagingFile.status) {
                if case .contents(let bytes) = reply {
                    do { _ = try CommandStatus(decoding: bytes) } catch { unreadableLooks += 1 }
                }
                afterLook(self, reply)
            }
            return reply
        } catch let error as CocoaError
            where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile
        {
            return .missing
        } catch {
            return .failed(error)
        }
    }

    private func attempt(_ action: CommandExchange.Action) throws -> CommandExchange.Reply {
        switch action {
        case .read(let path): return .contents(try Array(Data(contentsOf: url(path))))
        case .list(let path):
            return .names(try FileManager.default.contentsOfDirectory(atPath: url(path).path))
        case .exists(let path):
            return FileManager.default.fileExists(atPath: url(path).path) ? .done : .missing
        case .write(let path, let bytes): try Data(bytes).write(to: url(path))
        case .rename(let from, let to): try FileManager.default.moveItem(at: url(from), to: url(to))
        case .remove(let path): try FileManager.default.removeItem(at: url(path))
        case .wait(let duration): watch.wait(duration)
        case .report(let progress): reports.append(progress)
        case .finish: break
        }
        return .done
    }

    func url(_ path: String) -> URL { container.folder.appendingPathComponent(path) }

    /// Deadlines that a slow machine can meet, and pauses that keep a test short.
    static let patient = CommandTiming(
        firstPoll: .milliseconds(5), longestPoll: .milliseconds(20), watchdog: .seconds(300),
        total: .seconds(600),
        connectionCheck: .milliseconds(20), connectionGrace: .seconds(100), cancelGrace: .seconds(300),
        completionGrace: .seconds(100))

    /// Deadlines for apps that do not answer.
    static let impatient = CommandTiming(
        firstPoll: .milliseconds(5), longestPoll: .milliseconds(20), watchdog: .milliseconds(150),
        total: .seconds(60),
        connectionCheck: .seconds(30), connectionGrace: .seconds(10), cancelGrace: .milliseconds(150),
        completionGrace: .milliseconds(150))

    func send(_ command: Command, staged: [String] = [], timing: CommandTiming = patient) -> CommandOutcome {
        var exchange = CommandExchange(
            command, stagedDocuments: staged.map { stagingPath + "/" + $0 }, stagingFolder: stagingPath,
            timing: timing)
        return exchange.run(on: self)
    }

    static var timestamp: CommandTimestamp {
        CommandTimestamp(tenths: Int64(Date().timeIntervalSince1970 * 10))
    }

    /// Stages files under these names and has Marvin import them.
    func upload(
        _ books: [(name: String, file: URL)], overwrite: Bool = false, timing: CommandTiming = patient,
        change: (inout UploadBooks.Book) -> Void = { _ in }
    ) throws -> CommandOutcome {
        for book in books { try Data(contentsOf: book.file).write(to: staged(book.name)) }
        let entries = books.map { book in
            var entry = UploadBooks.Book(fileName: book.name, collections: ["NEW"])
            change(&entry)
            return entry
        }
        return send(
            .uploadBooks(UploadBooks(timestamp: MarvinBench.timestamp, overwrite: overwrite, books: entries)),
            staged: books.map(\.name), timing: timing)
    }

    func delete(_ names: [String], uuids: [String] = [], timing: CommandTiming = patient) -> CommandOutcome {
        let books = names.enumerated().map { index, name in
            DeleteBooks.Book(
                author: "", title: "", uuid: index < uuids.count ? uuids[index] : "", fileName: name)
        }
        return send(.deleteBooks(DeleteBooks(timestamp: MarvinBench.timestamp, books: books)), timing: timing)
    }

    // MARK: Results

    func staged(_ name: String) -> URL { container.staging.appendingPathComponent(name) }
    func document(_ name: String) -> URL { container.documents.appendingPathComponent(name) }
    func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    /// The names in the staging folder, apart from `connected.xml`.
    func leftovers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: container.staging.path).filter {
            $0 != "connected.xml"
        }.sorted()
    }

    func connection() throws -> ConnectionStatus {
        try ConnectionStatus(decoding: Array(Data(contentsOf: staged("connected.xml"))))
    }

    func query(_ sql: String, _ values: [SQLiteValue] = []) throws -> [[SQLiteValue]] {
        try SQLiteDatabase(container.database.path).run(sql, values)
    }

    /// One column of the only row with that file name.
    func value(_ column: String, of name: String) throws -> SQLiteValue? {
        try query("SELECT \(column) FROM Books WHERE FileName = ?", [.text(name)]).first?.first
    }

    func collections(of name: String) throws -> [String] {
        try query(
            """
            SELECT Name FROM Collections JOIN BookCollections ON CollectionID = Collections.ID
            JOIN Books ON Books.ID = BookID WHERE FileName = ? ORDER BY Name
            """, [.text(name)]
        ).compactMap { $0.first?.text }
    }
}

/// A uuid with its own ending, and `.epub`.
func bookName(_ number: Int) -> String {
    let digits = String(number)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits + ".epub"
}
