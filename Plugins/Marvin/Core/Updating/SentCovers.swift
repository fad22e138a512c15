import OverlayKit

/// The covers this host has sent to one app: for each book what was sent, and what the library called it afterwards.
///
/// Marvin keeps the name that came with a cover, but it need not: another version may give its own. A record that is lost costs
/// one cover sent again.
struct SentCovers {
    private static let key = "sent-covers"
    private static let magic = Array("OVLSENT1".utf8)
    private static let most = 100_000

    /// What was sent for a book.
    private struct Record: Equatable {
        /// MD5 of the image.
        var sent: String
        /// What the library said right after.
        var shown: String?
    }

    private let cache: BooklistCache
    /// By the bytes of the file names: two spellings that look alike are two files.
    private var records: [[UInt8]: Record] = [:]
    private var isChanged = false

    /// What is on record.
    init(_ cache: BooklistCache) {
        self.cache = cache
        let bytes = cache.quietly { () throws(OverlayError) in
            try cache.host.storage.read(.cache, Self.key)
        }
        guard let bytes, let bytes, bytes.starts(with: Self.magic) else { return }
        do throws(DamagedCache) {
            var head = ByteReader(bytes, from: Self.magic.count)
            let start = Self.magic.count + 8
            guard bytes.count > start, try head.word() == CacheChecksum.of(bytes[start...]) else { return }
            var reader = ByteReader(bytes, from: start)
            let list = try reader.list { (reader) throws(DamagedCache) in
                (
                    try reader.data(),
                    Record(sent: try reader.text(), shown: try reader.optionalText())
                )
            }
            records = Dictionary(list, uniquingKeysWith: { _, last in last })
        } catch {
            records = [:]
        }
    }

    /// Whether a book does not show an image of that MD5 yet.
    func isNew(_ hash: String, for book: LibraryBook) -> Bool {
        if book.coverHash?.lowercased() == hash { return false }
        guard let record = records[book.fileName.bytes], record.sent == hash else { return true }
        // Somebody has set another one since.
        return record.shown != book.coverHash
    }

    /// Notes that a book has got an image, and what the library calls it now.
    mutating func note(_ hash: String, for book: LibraryBook) {
        let record = Record(sent: hash, shown: book.coverHash)
        guard records[book.fileName.bytes] != record, records.count < Self.most else { return }
        records[book.fileName.bytes] = record
        isChanged = true
    }

    /// Keeps the record, if it is another one.
    func save() {
        guard isChanged else { return }
        var writer = ByteWriter()
        writer.list(records.sorted { $0.key.lexicographicallyPrecedes($1.key) }) { writer, entry in
            writer.data(entry.key)
            writer.text(entry.value.sent)
            writer.optional(entry.value.shown) { $0.text($1) }
        }
        var head = ByteWriter()
        head.word(CacheChecksum.of(writer.bytes[...]))
        let bytes = Self.magic + head.bytes + writer.bytes
        _ = cache.quietly { () throws(OverlayError) in
            try cache.host.storage.write(.cache, Self.key, bytes)
        }
    }
}
