import BookFolders
import CommandProtocol
import OverlayKit
import Platform

/// The covers this host has sent to one app: for each book the cover it sent, and what the library called it afterwards.
///
/// Marvin keeps the name that came with a cover, but another version may give its own. A record that is lost costs one cover
/// sent again.
struct SentCovers {
    private static let most = 100_000

    /// What was sent for a book.
    private struct Record: Codable, Equatable {
        var fileName: String
        /// MD5 of the image.
        var sent: String
        /// What the library said right after.
        var shown: String?
    }

    private let kept: ListingCache
    /// By the bytes of the file names: two spellings that look alike are two files.
    private var records: [[UInt8]: Record] = [:]
    private var isChanged = false

    /// What is on record.
    init(_ host: HostServices) {
        kept = ListingCache(host, key: "sent-covers", version: 2, category: "marvin")
        for record in kept.load([Record].self) ?? [] { records[record.fileName.bytes] = record }
    }

    /// Whether a book does not show an image of that MD5 yet.
    func isNew(_ hash: String, for book: LibraryBook) -> Bool {
        if book.coverHash?.lowercased() == hash { return false }
        guard let record = records[book.fileName.bytes], record.sent == hash else { return true }
        // It may have got another cover since.
        return record.shown != book.coverHash
    }

    /// Notes that a book has got an image, and what the library calls it now.
    mutating func note(_ hash: String, for book: LibraryBook) {
        let record = Record(fileName: book.fileName, sent: hash, shown: book.coverHash)
        guard records[book.fileName.bytes] != record, records.count < Self.most else { return }
        records[book.fileName.bytes] = record
        isChanged = true
    }

    /// Keeps the record if it changed.
    func save() {
        guard isChanged else { return }
        kept.save(records.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value))
    }
}

extension EmbeddedCover {
    /// The name of an image for both sides: its MD5 in hexadecimal.
    static func hash(of image: [UInt8]) throws(OverlayError) -> String {
        let digest = Digest(.md5)
        digest.add(image)
        return Hex.text(try digest.finished())
    }
}
