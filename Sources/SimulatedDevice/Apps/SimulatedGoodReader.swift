import FoundationEssentials
import Glibc
import Platform

/// A simulated GoodReader: documents in folders, and previews of their first pages.
///
/// The app talks to no host; it only draws the previews of documents that have none when it is opened. Members may be
/// used from any thread, but not two that write at once.
public struct SimulatedGoodReader: Sendable {
    /// The bundle id of the app for iPads.
    public static let padID = "com.goodiware.GoodReaderIPad"
    /// The bundle id of the app for iPhones.
    public static let phoneID = "com.goodiware.GoodReader"
    /// The bundle id of GoodReader 4.
    public static let fourthID = "com.goodiware.goodreader4"

    /// Where everything is.
    public let container: GoodReaderContainer

    /// The app that lives in this container.
    public init(_ container: GoodReaderContainer) { self.container = container }

    /// The app as it is installed on a device that need not run.
    public init(device: SimulatedDevice, bundleID: String = padID) {
        self.init(GoodReaderContainer(folder: device.containerFolder(of: bundleID)))
    }

    /// The settings of an installed app.
    public static func app(bundleID: String = padID, developmentSigned: Bool = false) -> SimulatedApp {
        SimulatedApp(
            bundleID: bundleID, name: bundleID == fourthID ? "GoodReader 4" : "GoodReader",
            version: bundleID == fourthID ? "4.9.0" : "3.20.0", developmentSigned: developmentSigned,
            kind: .goodReader)
    }

    /// Opens the app: its folders are made, and documents without a preview get one.
    public func launch() throws {
        try container.makeFolders()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: container.documents.path)
        for path in paths where path.lowercased().hasSuffix(".pdf") {
            guard !FileManager.default.fileExists(atPath: container.preview(of: path).path) else { continue }
            try writePreview(of: path, PlainCover.small(seed: UInt64(path.utf8.count)).jpeg(paddedTo: 8_000))
        }
    }

    /// Puts a document where a person would have put it, with its folders.
    public func add(_ document: SimulatedPDF, at path: String) throws {
        let url = container.document(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try document.write(to: url)
    }

    /// Puts a file of any kind there.
    public func add(_ bytes: [UInt8], at path: String) throws {
        let url = container.document(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    /// Writes the previews of a document, whose first page looks as `image` does.
    ///
    /// `morePages`: how many pages after it were looked at and look the same.
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

    /// Writes the cache of the calibre plugin as it writes it.
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

    /// Fills the app with documents of 1 to 5 MB in folders up to four deep, the same ones each time, for measurements.
    ///
    /// `previews`: whether the app has drawn their first pages, about 10,000 bytes each.
    /// - Returns: their paths, and how many bytes they have all together.
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

/// Where GoodReader keeps what, inside its container.
public struct GoodReaderContainer: Sendable, Equatable {
    /// The container's own folder.
    public let folder: URL

    /// A container.
    public init(folder: URL) { self.folder = folder }

    /// The person's files, in folders as deep as the person likes.
    public var documents: URL { folder.appendingPathComponent("Documents", isDirectory: true) }
    /// The previews of pages: one database for each document, under the document's path.
    public var previews: URL {
        folder.appendingPathComponent(
            "Library/Application Support/com.goodiware.GoodReader.ASRoot/Previews/0", isDirectory: true)
    }
    /// What the calibre plugin "iOS reader applications" has left there.
    public var cache: URL { folder.appendingPathComponent("Library/calibre_metadata.sqlite") }

    /// A document by its path relative to the documents.
    public func document(_ path: String) -> URL { documents.appendingPathComponent(path) }
    /// The previews of a document by its path relative to the documents.
    public func preview(of path: String) -> URL { previews.appendingPathComponent(path) }

    /// The folders that exist in every installation.
    func makeFolders() throws {
        for url in [documents, previews] {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
    }
}

/// One row of the cache that the calibre plugin "iOS reader applications" keeps in GoodReader's and Kindle's containers.
public struct GoodReaderCacheRow: Sendable, Equatable {
    /// Path relative to the documents.
    public var path: String
    /// The title.
    public var title: String?
    /// The title as it is sorted.
    public var titleSort: String?
    /// The authors in one text, joined with ` & ` (GoodReader) or `; ` (Kindle).
    public var authors: String?
    /// The authors as they are sorted.
    public var authorSort: String?
    /// calibre's uuid.
    public var uuid: String?
    /// Unix seconds.
    public var added: Int64?
    /// Bytes of the file.
    public var size: Int64?
    /// The bytes of a JPEG file, which are kept as base64 text.
    public var thumbnail: [UInt8]?

    /// A row about one file.
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
