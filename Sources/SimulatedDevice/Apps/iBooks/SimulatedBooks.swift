import CLibzip
import FoundationEssentials
import Glibc
import Platform
import PropertyLists

/// The library of a simulated Books app: the folder `Books` of the media folder, and the database in the app's
/// container.
///
/// The app itself does nothing, because the real app does not communicate with hosts either. Members may be used from
/// any thread, but not by two threads that write at the same time.
public struct SimulatedBooks: Sendable {
    /// The bundle id of Books, unchanged since the app was called iBooks.
    public static let bundleID = "com.apple.iBooks"

    /// The folder `Books` of the media folder.
    public let folder: URL
    /// The app's container.
    public let container: URL

    /// Creates the library of a device.
    public init(_ device: SimulatedDevice) {
        self.init(device: device.folder)
    }

    /// Creates the library of a device from the device's folder. The device need not run.
    public init(device folder: URL) {
        self.folder = folder.appendingPathComponent("Media/Books", isDirectory: true)
        container = folder.appendingPathComponent("Containers/\(Self.bundleID)", isDirectory: true)
    }

    /// The settings of the installed app, which is part of iOS.
    public static func app() -> SimulatedApp {
        var app = SimulatedApp(bundleID: bundleID, name: "iBooks", version: "4.3", fileSharing: false)
        app.isSystem = true
        return app
    }

    /// Creates the library: files, covers, and the lists that name them. The lists in `binary` are written as binary
    /// property lists.
    public func populate(_ books: [SimulatedBook], binary: Set<SimulatedBook.List> = []) throws {
        for book in books { try place(book) }
        for list in SimulatedBook.List.allCases {
            let named = books.filter { $0.lists.contains(list) }
            guard !named.isEmpty else { continue }
            let content: PropertyList = ["Books": .array(named.map(\.entry)), "Version": "1"]
            try write(try content.encoded(binary.contains(list) ? .binary : .xml), list.rawValue)
        }
    }

    /// Writes annotations in the form that Books uses for syncing.
    public func write(_ annotations: [SimulatedAnnotation]) throws {
        let list: PropertyList = ["1.5": ["Bookmarks": .array(annotations.map(\.entry)), "Version": 1]]
        try write(try list.encoded(.xml), "com.apple.ibooks-sync.plist")
    }

    /// Writes annotations in the form that older versions of Books used.
    public func writeOld(_ annotations: [SimulatedAnnotation]) throws {
        let list: PropertyList = [["1.2": ["BKBookmark": .array(annotations.map(\.entry))]]]
        try write(try list.encoded(.binary), "iBooksData2.plist")
    }

    /// Creates the database that Books used up to iOS 8: collections and the books in them, by their keys.
    public func writeCollections(_ collections: KeyValuePairs<String, [(path: String, key: String)]>) throws {
        let folder = container.appendingPathComponent("Documents/BKLibrary_database")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let database = try SQLiteDatabase(
            folder.appendingPathComponent("iBooks_v10252011_2152.sqlite").path)
        try database.execute(
            """
            CREATE TABLE ZBKCOLLECTION (Z_PK INTEGER PRIMARY KEY, ZTITLE VARCHAR, ZDELETEDFLAG INTEGER);
            CREATE TABLE ZBKCOLLECTIONMEMBER (Z_PK INTEGER PRIMARY KEY, ZCOLLECTION INTEGER, ZDATABASEKEY VARCHAR);
            CREATE TABLE ZBKBOOKINFO (Z_PK INTEGER PRIMARY KEY, ZASSETURL VARCHAR, ZDATABASEKEY VARCHAR);
            """)
        for (index, (title, books)) in collections.enumerated() {
            let number = Int64(index + 1)
            try database.run(
                "INSERT INTO ZBKCOLLECTION VALUES (?, ?, 0)", [.integer(number), .text(title)])
            for book in books {
                let path = PercentCoding.encoded(book.path, keeping: "!$&'()*+,/:=@")
                let url = "file://localhost/private/var/mobile/Media/Books/\(path)/"
                try database.run(
                    "INSERT INTO ZBKCOLLECTIONMEMBER (ZCOLLECTION, ZDATABASEKEY) VALUES (?, ?)",
                    [.integer(number), .text(book.key)])
                try database.run(
                    "INSERT INTO ZBKBOOKINFO (ZASSETURL, ZDATABASEKEY) VALUES (?, ?)",
                    [.text(url), .text(book.key)])
            }
        }
    }

    /// Creates the database of the items that a sync still has to transfer.
    public func writeOutstanding(_ persistentIDs: [String]) throws {
        let folder = folder.appendingPathComponent("Sync/Database")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let database = try SQLiteDatabase(
            folder.appendingPathComponent("OutstandingAssets_4.sqlite").path)
        try database.execute(
            """
            CREATE TABLE ZBCOUTSTANDINGASSET (Z_PK INTEGER PRIMARY KEY, ZPERSISTENTID VARCHAR);
            CREATE TABLE ZBCINSTALLEDASSET (Z_PK INTEGER PRIMARY KEY, ZPERSISTENTID VARCHAR, ZCOMPUTEDSIZE INTEGER);
            """)
        for id in persistentIDs {
            try database.run("INSERT INTO ZBCOUTSTANDINGASSET (ZPERSISTENTID) VALUES (?)", [.text(id)])
        }
    }

    /// The titles of a list's current entries; nil if the list does not exist.
    public func titles(_ list: SimulatedBook.List) throws -> [String]? {
        let file = folder.appendingPathComponent(list.rawValue)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try PropertyList(parsing: try Data(contentsOf: file), limits: .file)["Books"]?.array?
            .map { $0["Name"]?.string ?? "" }
    }

    /// The files of a packed EPUB, in the form in which Books unpacks it.
    public static func unpacked(_ epub: URL) throws -> [String: [UInt8]] {
        var code: Int32 = 0
        guard let archive = zip_open(epub.path, ZIP_RDONLY, &code) else {
            throw SimulationError.invalidBook("it is not a ZIP archive", subject: epub.path)
        }
        defer { zip_discard(archive) }
        var files: [String: [UInt8]] = [:]
        for index in 0..<UInt64(max(0, zip_get_num_entries(archive, 0))) {
            guard let start = zip_get_name(archive, index, 0) else { continue }
            let name = String(cString: start)
            guard !name.hasSuffix("/"), let file = zip_fopen_index(archive, index, 0) else { continue }
            defer { zip_fclose(file) }
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = zip_fread(file, &chunk, UInt64(chunk.count))
                guard count > 0 else { break }
                bytes += chunk.prefix(Int(count))
            }
            files[name] = bytes
        }
        return files
    }

    private func place(_ book: SimulatedBook) throws {
        let place = (book.lists.first?.folder ?? "") + book.path
        if let file = book.file { try write(file, place) }
        for (path, bytes) in book.files { try write(bytes, place + "/" + path) }
        switch book.cover?.place {
        case .artwork:
            if let id = book.persistentID, let cover = book.cover {
                try write(cover.bytes, "Sync/Artwork/" + id)
            }
        case .inBook(let path):
            if let cover = book.cover { try write(cover.bytes, place + "/" + path) }
        case nil: break
        }
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }
}
