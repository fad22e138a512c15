import BookFolders
import MarvinCommands
import OverlayKit
import Platform

/// The covers that this host has sent to an app: for each book the cover sent, and its id in the library afterwards.
///
/// Marvin keeps the id that came with a cover, but another version may use its own. If a record is lost, one cover is
/// sent again.
struct SentCovers {
    private static let most = 100_000

    /// The record for a book.
    private struct Record: Codable, Equatable {
        var fileName: String
        /// The MD5 of the image.
        var sent: String
        /// The library's id for it right after sending.
        var shown: String?
    }

    private let kept: ListingCache
    /// By the bytes of the file names, because two names that look alike may be two files.
    private var records: [[UInt8]: Record] = [:]
    private var isChanged = false

    /// Loads the stored records.
    init(_ host: HostServices) {
        kept = ListingCache(host, key: "sent-covers", version: 2, category: "marvin")
        for record in kept.load([Record].self) ?? [] { records[record.fileName.bytes] = record }
    }

    /// Whether a book does not have the image with this MD5 yet.
    func isNew(_ hash: String, for book: LibraryBook) -> Bool {
        if book.coverHash?.lowercased() == hash { return false }
        guard let record = records[book.fileName.bytes], record.sent == hash else { return true }
        // The book may have a different cover since then.
        return record.shown != book.coverHash
    }

    /// Records that a book has an image, and its id in the library.
    mutating func note(_ hash: String, for book: LibraryBook) {
        let record = Record(fileName: book.fileName, sent: hash, shown: book.coverHash)
        guard records[book.fileName.bytes] != record, records.count < Self.most else { return }
        records[book.fileName.bytes] = record
        isChanged = true
    }

    /// Saves the records if they changed.
    func save() {
        guard isChanged else { return }
        kept.save(records.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value))
    }
}
