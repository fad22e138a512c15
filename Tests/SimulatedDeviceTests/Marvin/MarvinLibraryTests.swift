import MarvinCommands
import Foundation
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("A library maker fills Marvin's container, whole or damaged")
struct MarvinLibraryTests {
    private func library(
        _ traits: MarvinDatabaseTraits = [], version: String = "2.7.1"
    ) throws -> (MarvinLibrary, TemporaryFolder) {
        let folder = try TemporaryFolder()
        return (MarvinLibrary(MarvinContainer(folder: folder.url, version: version), traits: traits), folder)
    }

    private func query(_ library: MarvinLibrary, _ sql: String) throws -> [[SQLiteValue]] {
        try SQLiteDatabase(library.container.database.path).run(sql)
    }

    @Test("Real books are there with files, rows, covers and a collection of their language")
    func realBooks() throws {
        let (library, folder) = try library()
        let books = try RealBooks.some()
        let names = try library.populate(books: books)
        #expect(Set(names).count == books.count)
        for (name, book) in zip(names, books) {
            #expect(BookFile.isUUID(String(name.dropLast(5))))
            #expect(
                try Data(contentsOf: library.container.documents.appendingPathComponent(name))
                    == Data(contentsOf: book))
        }
        #expect(try query(library, "SELECT count(*) FROM Books") == [[.integer(8)]])
        #expect(try query(library, "SELECT 1 FROM Books WHERE Title = 'Unknown' OR Title IS NULL").isEmpty)
        #expect(try query(library, "SELECT 1 FROM Collections WHERE Name = 'Language: fr'").count == 1)
        let covers = try #require(library.container.smallCovers)
        #expect(try FileManager.default.contentsOfDirectory(atPath: covers.path).count == 8)
        let (other, otherFolder) = try self.library()
        #expect(try other.populate(books: books) == names, "the same books get the same names")
        withExtendedLifetime((folder, otherFolder)) {}
    }

    @Test("A file that is not an EPUB is refused")
    func noBook() throws {
        let (library, folder) = try library()
        #expect(throws: SimulationError.self) {
            try library.populate(books: [URL(fileURLWithPath: #filePath)])
        }
        withExtendedLifetime(folder) {}
    }

    @Test("Synthetic books are many, the same each time, and real EPUB files")
    func synthetic() throws {
        let (library, folder) = try library()
        let names = try library.populateSynthetic(count: 100)
        #expect(Set(names).count == 100)
        #expect(
            try query(library, "SELECT FileName FROM Books ORDER BY ID").compactMap { $0.first?.text }
                == names)
        let file = try BookFile(
            library.container.documents.appendingPathComponent(names[42]).path, subject: "x")
        #expect(file.title == "Synthetic Book")
        let hash = try #require(try query(library, "SELECT Hash FROM Books WHERE ID = 43").first?.first?.text)
        let cover = try Data(
            contentsOf: #require(library.container.smallCovers).appendingPathComponent(hash + ".jpg"))
        #expect(cover.count == 25_000)
        let (other, otherFolder) = try self.library()
        #expect(try other.populateSynthetic(count: 100) == names)
        withExtendedLifetime((folder, otherFolder)) {}
    }

    @Test("A log that was not checkpointed holds what the database file lacks")
    func uncheckpointedLog() throws {
        let (library, folder) = try library(.uncheckpointedLog)
        try library.populateSynthetic(count: 20, coverBytes: 0)
        let database = library.container.database
        #expect(FileManager.default.fileExists(atPath: database.path + "-wal"))
        let alone = folder.url.appendingPathComponent("alone.sqlite")
        try FileManager.default.copyItem(at: database, to: alone)
        #expect(try SQLiteDatabase(alone.path).run("SELECT count(*) FROM Books") == [[.integer(11)]])
        // Starting the app does not checkpoint the log.
        let app = SimulatedMarvin(container: library.container)
        try app.start()
        app.stop()
        let together = folder.url.appendingPathComponent("together.sqlite")
        try FileManager.default.copyItem(at: database, to: together)
        try FileManager.default.copyItem(atPath: database.path + "-wal", toPath: together.path + "-wal")
        #expect(try SQLiteDatabase(together.path).run("SELECT count(*) FROM Books") == [[.integer(20)]])
    }

    @Test("The database may be in WAL mode")
    func writeAheadLog() throws {
        let (library, folder) = try library(.writeAheadLog)
        try library.populateSynthetic(count: 2, coverBytes: 0)
        #expect(try query(library, "PRAGMA journal_mode") == [[.text("wal")]])
        withExtendedLifetime(folder) {}
    }

    @Test("Titles may be NULL, and collections dangle")
    func badRows() throws {
        let (library, folder) = try library([.nullTitles, .danglingCollections])
        try library.populateSynthetic(count: 9, coverBytes: 0)
        #expect(
            try query(library, "SELECT count(*) FROM Books WHERE Title IS NULL AND Author IS NULL") == [
                [.integer(3)]
            ])
        let dangling =
            "SELECT count(*) FROM BookCollections WHERE CollectionID NOT IN (SELECT ID FROM Collections)"
        #expect(try query(library, dangling) == [[.integer(9)]])
        withExtendedLifetime(folder) {}
    }

    @Test("Columns may be missing, and the app does its work anyway")
    func missingColumns() throws {
        let bench = try MarvinBench { container in
            try MarvinLibrary(container, traits: .missingColumns).populateSynthetic(count: 2, coverBytes: 0)
        }
        let columns = try bench.query("SELECT name FROM pragma_table_info('Books')").compactMap {
            $0.first?.text
        }
        #expect(!columns.contains("CalibreCoverHash"))
        #expect(!columns.contains("ReadingList"))
        #expect(try bench.query("SELECT 1 FROM sqlite_master WHERE name = 'BookSubjects'").isEmpty)
        #expect(try bench.upload([(bookName(1), try RealBooks.history("en"))]).ending == .completed)
        #expect(bench.delete([bookName(1)]).ending == .completed)
        #expect(try bench.query("SELECT 1 FROM Books").count == 2)
    }

    @Test("Covers may be in the database, as before Marvin 2.1")
    func coverBlobs() throws {
        let (library, folder) = try library(version: "2.0")
        try library.populateSynthetic(count: 2, coverBytes: 3000)
        #expect(
            try query(library, "SELECT length(SmallCoverJpg) FROM Books") == [
                [.integer(3000)], [.integer(3000)],
            ])
        withExtendedLifetime(folder) {}
    }

    @Test("An app that was started before the library is filled takes it over")
    func fillWhileRunning() throws {
        let bench = try MarvinBench()
        let names = try MarvinLibrary(bench.container, traits: .writeAheadLog).populateSynthetic(
            count: 3, coverBytes: 0)
        #expect(try bench.query("PRAGMA journal_mode") == [[.text("wal")]])
        #expect(bench.delete([names[0]]).ending == .completed)
        #expect(try bench.query("SELECT 1 FROM Books").count == 2)
    }
}

@Suite("A device runs its reader apps")
struct DeviceAppsTests {
    private let app = SimulatedApp(
        bundleID: "com.appstafarian.MarvinIP", name: "Marvin", version: "2.7.1", kind: .marvin)

    @Test("An app of kind marvin runs from the making of the device until it is removed")
    func life() throws {
        let folder = try TemporaryFolder()
        let device = try SimulatedDevice(folder: folder.url, settings: SimulatedDeviceSettings(apps: [app]))
        let marvin = try #require(device.marvin(app.bundleID))
        let file = marvin.container.staging.appendingPathComponent("connected.xml")
        let connection = try ConnectionStatus(decoding: Array(Data(contentsOf: file)))
        #expect(connection.state == .online)
        #expect(connection.device == device.settings.productType)
        #expect(connection.system == device.settings.iosVersion)
        try device.update { $0.apps = [] }
        #expect(device.marvin(app.bundleID) == nil)
        #expect(!FileManager.default.fileExists(atPath: file.path))
        try device.update { $0.apps = [app] }
        #expect(FileManager.default.fileExists(atPath: file.path))
        device.stopApps()
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("An updated app is relaunched in its new version")
    func updatedApp() throws {
        let folder = try TemporaryFolder()
        let device = try SimulatedDevice(folder: folder.url, settings: SimulatedDeviceSettings(apps: [app]))
        defer { device.stopApps() }
        try device.update { $0.apps[0].version = "2.8" }
        #expect(device.marvin(app.bundleID)?.container.version == "2.8")
        let file = try #require(device.marvin(app.bundleID)).container.staging.appendingPathComponent(
            "connected.xml")
        #expect(try ConnectionStatus(decoding: Array(Data(contentsOf: file))).appVersion == "2.8")
    }

    @Test("A folder that cannot be watched takes no descriptor of others along")
    func unwatched() throws {
        let path = try TemporaryFolder().path("none")
        #expect(try BystanderDescriptors.lost { _ = try FolderWatch(path, for: FolderWatch.arrivals) } == 0)
    }
}
