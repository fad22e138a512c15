import DeviceDatabases
import OverlayKit
import Platform

/// The cache `calibre_metadata.sqlite` that the calibre plugin "iOS reader applications" keeps in the containers of GoodReader
/// and Kindle.
///
/// It is only read, and never needed: a damaged one is noted in the log and counts as missing. Any program may
/// have written it, so nothing in it is believed that cannot be checked, and no text of it becomes part of a statement.
public struct DeviceCache: Equatable, Sendable {
    /// Where it is in the container.
    public static let path = "/Library/calibre_metadata.sqlite"
    /// Larger files are not such a cache: a thousand books with thumbnails take about 20 MB.
    private static let largest: UInt64 = 512 << 20
    /// A cache has fewer rows than that.
    private static let mostRows = 200_000
    /// Bytes of a text that is believed to be a name.
    private static let longestText = 64 << 10
    /// Bytes of a thumbnail; those of the original have about 10,000.
    private static let largestThumbnail = 1 << 20
    /// The columns that are read, in this order.
    private static let columns = [
        "filename", "title", "title_sort", "authors", "author_sort", "uuid", "dateadded", "size",
        "thumb_data",
    ]

    /// What is noted about each file, by the UTF-8 of its path.
    public private(set) var entries: [[UInt8]: DeviceCacheEntry] = [:]
    /// A cache without entries.
    public init() {}

    /// What is noted about the file at `path`, relative to `/Documents`.
    public subscript(path: String) -> DeviceCacheEntry? { entries[Array(path.utf8)] }

    /// Reads the cache from the device; without entries where there is none, or none that can be read.
    ///
    /// - Parameters:
    ///   - host: the services of the running instance.
    ///   - separator: what stands between two authors: ` & ` for GoodReader, `; ` for Kindle.
    ///   - category: the category of its messages in the log.
    /// - Throws: only what ends the running method: cancelled, timed out, unplugged.
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
            // No sound cache says more than a few times what its file holds; a hostile one repeats pages without end.
            let database = try DeviceDatabase(
                path: copy.path, name: "The cache on the device",
                byteBudget: max(16 << 20, Int(clamping: copy.size) &* 4),
                isCancelled: { cancellation.isCancelled })
            return try withExtendedLifetime(copy) { () throws(DatabaseError) in
                try read(database, separator) { log.notice(category, $0) }
            }
        } catch {
            // Cancelled may also mean that time is up or the device is gone; the host knows which.
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
        // Qualified names can never be taken for texts, which is what SQLite does with unknown names in double quotes.
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

    /// A text that is not empty and not longer than a name.
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

    /// Base64 text of an image, as the original writes it; the image itself is taken, too.
    private static func thumbnail(_ row: DatabaseRow, _ column: Int32) throws(DatabaseError) -> [UInt8]? {
        guard row.size(column) <= largestThumbnail * 3 / 2, let stored = try row.bytes(column) else {
            return nil
        }
        if PictureType.mediaType(of: stored) != nil { return stored }
        guard let bytes = Base64.decode(stored), bytes.count <= largestThumbnail else { return nil }
        return PictureType.mediaType(of: bytes) == nil ? nil : bytes
    }
}

/// What the calibre plugin "iOS reader applications" has noted about one file, in the cache it keeps on the device.
public struct DeviceCacheEntry: Equatable, Sendable {
    /// Path relative to `/Documents`.
    public var path: String
    /// The title, also one that a person has edited.
    public var title: String?
    /// The title as it is sorted.
    public var titleSort: String?
    /// The authors, the first one first; nil where none are noted.
    public var authors: [String]?
    /// The authors as they are sorted.
    public var authorSort: String?
    /// calibre's uuid; nil for a book that came in another way.
    public var uuid: String?
    /// When the book came to the device, in seconds since 1970-01-01 00:00 UTC.
    public var added: Int64?
    /// Bytes of the file when it was noted.
    public var size: UInt64?
    /// A small cover: the bytes of a JPEG or PNG image.
    public var thumbnail: [UInt8]?
}
