import Diagnostics
import DeviceDatabases
import OverlayKit
import Platform

/// The cache `calibre_metadata.sqlite` of the calibre plugin "iOS reader applications", in the containers of GoodReader
/// and Kindle.
///
/// It is only read, and never needed: a damaged cache is logged and treated as missing. Any program may have written
/// it, so nothing in it is trusted unchecked, and its texts never become part of an SQL statement.
public struct DeviceCache: Equatable, Sendable {
    /// Its path in the container.
    public static let path = "/Library/calibre_metadata.sqlite"
    /// The largest file that is accepted. A cache of a thousand books with thumbnails takes about 20 MB.
    private static let largest: UInt64 = 512 << 20
    /// The most rows of a valid cache.
    private static let mostRows = 200_000
    /// The longest text, in bytes, that is accepted as a name.
    private static let longestText = 64 << 10
    /// The largest thumbnail in bytes; the plugin's have about 10,000.
    private static let largestThumbnail = 1 << 20
    /// The columns to read, in this order.
    private static let columns = [
        "filename", "title", "title_sort", "authors", "author_sort", "uuid", "dateadded", "size",
        "thumb_data",
    ]

    /// The entries by the UTF-8 of the files' paths.
    public private(set) var entries: [[UInt8]: DeviceCacheEntry] = [:]
    /// Creates a cache without entries.
    public init() {}

    /// The entry for the file at `path`, relative to `/Documents`.
    public subscript(path: String) -> DeviceCacheEntry? { entries[Array(path.utf8)] }

    /// Reads the cache from the device; without entries if it does not exist or cannot be read.
    ///
    /// - Parameters:
    ///   - host: the services of the running instance.
    ///   - separator: the text between two authors: ` & ` for GoodReader, `; ` for Kindle.
    ///   - category: the category of its log messages.
    /// - Throws: only errors that end the running method: cancelled, timed out, unplugged.
    public static func read(
        _ host: HostServices, separator: String, category: String
    ) throws(OverlayError) -> DeviceCache {
        do {
            let copy = try DatabaseCopy(
                host, .container, path, name: "The cache on the device", largest: largest)
            return try cache(of: copy, separator, host, category)
        } catch {
            if error.endsTheCall { throw error }
            if error.status != .notFound {
                host.log.notice(category, "Not using calibre's cache: \(error.message)")
            }
            return DeviceCache()
        }
    }

    private static func cache(
        of copy: DatabaseCopy, _ separator: String, _ host: HostServices, _ category: String
    ) throws(OverlayError) -> DeviceCache {
        let (cancellation, log) = (host.cancellation, host.log)
        do {
            // A valid cache yields at most a few times the bytes of its file; a hostile one may repeat pages
            // endlessly.
            let database = try DeviceDatabase(
                path: copy.path, name: "The cache on the device",
                byteBudget: max(16 << 20, Int(clamping: copy.size) &* 4),
                isCancelled: { cancellation.isCancelled })
            return try withExtendedLifetime(copy) { () throws(DatabaseError) in
                try read(database, separator) { log.notice(category, $0) }
            }
        } catch {
            // `cancelled` may also mean that the time is up or the device is gone; the host knows which.
            if error.code == .cancelled { try cancellation.check() }
            throw OverlayError(error, subject: path)
        }
    }

    private static func read(
        _ database: DeviceDatabase, _ separator: String, _ remark: (String) -> Void
    ) throws(DatabaseError) -> DeviceCache {
        guard try database.tables()["metadata"] == true else {
            throw .damaged("The cache on the device has no table of books.")
        }
        let there = try database.columns(of: "metadata")
        guard there.contains("filename") else {
            throw .damaged("The cache on the device has no file names.")
        }
        // Qualify the names, because SQLite treats unknown names in double quotes as texts.
        let list = columns.map { there.contains($0) ? "t.\"\($0)\"" : "NULL" }
        var cache = DeviceCache()
        let unreadable = try database.readableRows(of: "metadata", list, limit: mostRows) {
            row throws(DatabaseError) in
            guard let path = try text(row, 0) else { return }
            var entry = DeviceCacheEntry(path: path)
            entry.title = try text(row, 1)
            entry.titleSort = try text(row, 2)
            entry.authors = try text(row, 3).map { authors(in: $0, separator) }
            entry.authorSort = try text(row, 4)
            entry.uuid = try text(row, 5)
            entry.added = try row.number(6).flatMap { Int64(exactly: $0.rounded(.down)) }
            entry.size = try row.number(7).flatMap { UInt64(exactly: $0) }
            entry.thumbnail = try thumbnail(row, 8)
            cache.entries[Array(path.utf8)] = entry
        }
        if unreadable > 0 {
            remark(
                unreadable == 1
                    ? "An entry of calibre's cache was left out because it is too large."
                    : "\(unreadable) entries of calibre's cache were left out because they are too large.")
        }
        return cache
    }

    /// A text that is neither empty nor longer than a name.
    private static func text(_ row: DatabaseRow, _ column: Int32) throws(DatabaseError) -> String? {
        guard row.size(column) <= longestText, let text = try row.text(column), !text.isEmpty else {
            return nil
        }
        return text
    }

    private static func authors(in text: String, _ separator: String) -> [String] {
        var (authors, rest): ([String], Substring) = ([], text[...])
        while let place = rest.firstRange(of: separator) {
            authors.append(String(rest[..<place.lowerBound]))
            rest = rest[place.upperBound...]
        }
        return (authors + [String(rest)]).filter { !$0.isEmpty }
    }

    /// A thumbnail, as Base64 text, which the plugin writes, or as the image itself.
    private static func thumbnail(_ row: DatabaseRow, _ column: Int32) throws(DatabaseError) -> [UInt8]? {
        guard row.size(column) <= largestThumbnail * 3 / 2, let stored = try row.bytes(column) else {
            return nil
        }
        if PictureType.mediaType(of: stored) != nil { return stored }
        guard let bytes = Base64.decode(stored), bytes.count <= largestThumbnail else { return nil }
        return PictureType.mediaType(of: bytes) == nil ? nil : bytes
    }
}

/// An entry for one file in the cache that the calibre plugin "iOS reader applications" keeps on the device.
public struct DeviceCacheEntry: Equatable, Sendable {
    /// The path relative to `/Documents`.
    public var path: String
    /// The title, which the user may have edited.
    public var title: String?
    /// The sort form of the title.
    public var titleSort: String?
    /// The authors in order; nil if none are recorded.
    public var authors: [String]?
    /// The sort form of the authors.
    public var authorSort: String?
    /// calibre's UUID; nil for a book that calibre did not send.
    public var uuid: String?
    /// When the book was added to the device, in seconds since 1970-01-01 00:00 UTC.
    public var added: Int64?
    /// The size of the file in bytes when it was recorded.
    public var size: UInt64?
    /// A small cover: the bytes of a JPEG or PNG image.
    public var thumbnail: [UInt8]?
}
