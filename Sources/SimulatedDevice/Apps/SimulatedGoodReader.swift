import FoundationEssentials
import Glibc
import Platform

/// A simulated GoodReader: documents in folders, and previews of their first pages.
///
/// The app does not communicate with hosts. When it is opened, it draws previews for documents that have none.
/// Members may be used from any thread, but not by two threads that write at the same time.
public struct SimulatedGoodReader: Sendable {
    /// The bundle id of the app for iPads.
    public static let padID = "com.goodiware.GoodReaderIPad"
    /// The bundle id of the app for iPhones.
    public static let phoneID = "com.goodiware.GoodReader"
    /// The bundle id of GoodReader 4.
    public static let fourthID = "com.goodiware.goodreader4"

    /// The folders of the app.
    public let container: GoodReaderContainer

    /// Creates the app in a container.
    public init(_ container: GoodReaderContainer) { self.container = container }

    /// Creates the app as installed on a device. The device need not run.
    public init(device: SimulatedDevice, bundleID: String = padID) {
        self.init(GoodReaderContainer(folder: device.containerFolder(of: bundleID)))
    }

    /// The settings of the installed app.
    public static func app(bundleID: String = padID, developmentSigned: Bool = false) -> SimulatedApp {
        SimulatedApp(
            bundleID: bundleID, name: bundleID == fourthID ? "GoodReader 4" : "GoodReader",
            version: bundleID == fourthID ? "4.9.0" : "3.20.0", developmentSigned: developmentSigned,
            kind: .goodReader)
    }

    /// Opens the app: creates its folders, and draws previews of documents without one.
    public func launch() throws {
        try container.makeFolders()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: container.documents.path)
        for path in paths where path.lowercased().hasSuffix(".pdf") {
            guard !FileManager.default.fileExists(atPath: container.preview(of: path).path) else { continue }
            try writePreview(of: path, PlainCover.small(seed: UInt64(path.utf8.count)).jpeg(paddedTo: 8_000))
        }
    }

    /// Adds a document, as the user would. Creates its folders.
    public func add(_ document: SimulatedPDF, at path: String) throws {
        let url = container.document(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try document.write(to: url)
    }

    /// Adds a file of any kind, as the user would.
    public func add(_ bytes: [UInt8], at path: String) throws {
        let url = container.document(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    /// Writes the previews of a document; `image` is the preview of its first page.
    ///
    /// `morePages`: the number of further pages that get the same preview.
    public func writePreview(of path: String, _ image: [UInt8], morePages: Int = 0) throws {
        let url = container.preview(of: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let database = try SQLiteDatabase(url.path)
        try database.execute("CREATE TABLE IF NOT EXISTS Pages (pageNum INTEGER, thumb BLOB)")
        try database.execute("BEGIN; DELETE FROM Pages")
        for page in 1...max(1, 1 + morePages) {
            try database.run("INSERT INTO Pages VALUES (?, ?)", [.integer(Int64(page)), .blob(image)])
        }
        try database.execute("COMMIT")
    }

    /// Writes the cache that the calibre plugin leaves in the container.
    public func writeCache(_ rows: [GoodReaderCacheRow]) throws {
        try container.makeFolders()
        let database = try SQLiteDatabase(container.cache.path)
        try database.execute(
            """
            PRAGMA user_version = 1; DROP TABLE IF EXISTS metadata;
            CREATE TABLE metadata (authors TEXT, author_sort TEXT, dateadded INTEGER, filename TEXT UNIQUE,
            size INTEGER, thumb_data BLOB, title TEXT, title_sort TEXT, uuid TEXT)
            """)
        for row in rows {
            let text = row.thumbnail.map { String(decoding: Base64.encode($0), as: UTF8.self) }
            let values: [SQLiteValue] = [
                .init(row.authors), .init(row.authorSort), .init(row.added), .text(row.path), .init(row.size),
                .init(text), .init(row.title), .init(row.titleSort), .init(row.uuid),
            ]
            try database.run("INSERT INTO metadata VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        }
    }

    /// Fills the app with documents of 1 to 5 MB in folders up to four levels deep. The documents are the same each
    /// time, for measurements.
    ///
    /// `previews`: whether the app has drawn their first pages; each preview has about 10,000 bytes.
    /// - Returns: the paths of the documents, and their total size in bytes.
    @discardableResult
    public func populateSynthetic(count: Int, previews: Bool = true) throws -> (paths: [String], bytes: Int) {
        try container.makeFolders()
        var (paths, bytes): ([String], Int) = ([], 0)
        for index in 0..<count {
            let folders = ["Shelf \(index % 5)", "Subject \(index % 7)", "Year \(1990 + index % 25)", "Part"]
            let path = (folders.prefix(index % 5) + ["Document \(index + 1).pdf"]).joined(separator: "/")
            let size = 1_000_000 + index * 1_664_525 % 4_000_000
            try add(
                SimulatedPDF(
                    title: "Synthetic Document \(index + 1)", author: "Author \(index % 9 + 1)",
                    pages: 100 + index % 400, size: size), at: path)
            if previews {
                try writePreview(of: path, PlainCover.small(seed: UInt64(index)).jpeg(paddedTo: 10_000))
            }
            paths.append(path)
            bytes += size
        }
        return (paths, bytes)
    }
}

extension SQLiteValue {
    fileprivate init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
}

/// The locations of GoodReader's files inside its container.
public struct GoodReaderContainer: Sendable, Equatable {
    /// The container's own folder.
    public let folder: URL

    /// Creates the locations for a container folder.
    public init(folder: URL) { self.folder = folder }

    /// The user's files, in folders of any depth.
    public var documents: URL { folder.appendingPathComponent("Documents", isDirectory: true) }
    /// The previews of pages: one database for each document, under the document's path.
    public var previews: URL {
        folder.appendingPathComponent(
            "Library/Application Support/com.goodiware.GoodReader.ASRoot/Previews/0", isDirectory: true)
    }
    /// The cache that the calibre plugin "iOS reader applications" leaves in the container.
    public var cache: URL { folder.appendingPathComponent("Library/calibre_metadata.sqlite") }

    /// A document by its path relative to the documents.
    public func document(_ path: String) -> URL { documents.appendingPathComponent(path) }
    /// The previews of a document by its path relative to the documents.
    public func preview(of path: String) -> URL { previews.appendingPathComponent(path) }

    /// Creates the folders that exist in every installation.
    func makeFolders() throws {
        for url in [documents, previews] {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
    }
}

/// One row of the cache that the calibre plugin "iOS reader applications" keeps in GoodReader's and Kindle's containers.
public struct GoodReaderCacheRow: Sendable, Equatable {
    /// The path relative to the documents folder.
    public var path: String
    /// The title.
    public var title: String?
    /// The form of the title for sorting.
    public var titleSort: String?
    /// The authors in one text, joined by ` & ` (GoodReader) or `; ` (Kindle).
    public var authors: String?
    /// The form of the authors for sorting.
    public var authorSort: String?
    /// The UUID that calibre assigned.
    public var uuid: String?
    /// The time when the file was added, in seconds since 1970.
    public var added: Int64?
    /// The size of the file in bytes.
    public var size: Int64?
    /// The thumbnail as a JPEG file. The cache stores it as base64 text.
    public var thumbnail: [UInt8]?

    /// Creates a row for one file.
    public init(
        path: String, title: String? = nil, titleSort: String? = nil, authors: String? = nil,
        authorSort: String? = nil, uuid: String? = nil, added: Int64? = nil, size: Int64? = nil,
        thumbnail: [UInt8]? = nil
    ) {
        self.path = path
        self.title = title
        self.titleSort = titleSort
        self.authors = authors
        self.authorSort = authorSort
        self.uuid = uuid
        self.added = added
        self.size = size
        self.thumbnail = thumbnail
    }
}
