import OverlayKit

/// What the EPUBs among the documents said of themselves, for as long as they stay as they are.
struct DocumentCache {
    private static let key = "documents"
    private static let magic = Array("OVLDOCS1".utf8)
    /// Bytes of covers that are kept; more are read again.
    private static let mostImages = 64 << 20

    private struct Entry {
        var size: UInt64
        var modified: Int64
        var book: Book
    }

    private let cache: BooklistCache
    /// By the bytes of the file names: two spellings that look alike are two files.
    private var entries: [[UInt8]: Entry] = [:]
    private var isChanged = false

    init(_ cache: BooklistCache) {
        self.cache = cache
        let isOn = cache.quietly { () throws(OverlayError) in try cache.isOn() }
        guard isOn == true,
            let bytes = cache.quietly({ () throws(OverlayError) in
                try cache.host.storage.read(.cache, Self.key)
            }), let bytes
        else { return }
        do throws(DamagedCache) {
            entries = try Self.decoded(bytes)
        } catch {
            entries = [:]
        }
    }

    /// What a file says of itself, with its cover if that is wanted; nil: it has to be read.
    func book(_ file: FileInfo, withCover: Bool) -> Book? {
        guard let entry = entries[file.name.bytes], entry.size == file.size, entry.modified == file.modified
        else {
            return nil
        }
        if withCover, entry.book.coverMediaType != nil, entry.book.coverData == nil { return nil }
        return entry.book
    }

    /// Notes what a file says.
    mutating func note(_ book: Book, of file: FileInfo) {
        isChanged = true
        entries[file.name.bytes] = Entry(size: file.size, modified: file.modified, book: book)
    }

    /// Keeps what is known of these files.
    mutating func save(_ files: [FileInfo]) {
        let names = Set(files.map(\.name.bytes))
        let gone = entries.keys.filter { !names.contains($0) }
        for name in gone { entries[name] = nil }
        let isOn = cache.quietly { () throws(OverlayError) in try cache.isOn() }
        guard isOn == true, isChanged || !gone.isEmpty else { return }
        let bytes = encoded()
        _ = cache.quietly { () throws(OverlayError) in
            try cache.host.storage.write(.cache, Self.key, bytes)
        }
    }

    private func encoded() -> [UInt8] {
        var writer = ByteWriter()
        var room = Self.mostImages
        writer.list(entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }) { writer, item in
            let (name, entry) = item
            writer.data(name)
            writer.number(entry.size)
            writer.signed(entry.modified)
            for text in [
                entry.book.uuid, entry.book.title, entry.book.titleSort, entry.book.authorSort,
                entry.book.series, entry.book.publisher, entry.book.pubdate, entry.book.description,
                entry.book.coverMediaType,
            ] {
                writer.optional(text) { $0.text($1) }
            }
            writer.optional(entry.book.authors) { $0.texts($1) }
            writer.optional(entry.book.tags) { $0.texts($1) }
            writer.double(entry.book.seriesIndex)
            writer.double(entry.book.rating)
            writer.optional(entry.book.coverSize) { $0.number($1) }
            let image = entry.book.coverData.flatMap { $0.count <= room ? $0 : nil }
            room -= image?.count ?? 0
            writer.optional(image) { $0.data($1) }
        }
        var head = ByteWriter()
        head.word(Checksum.of(writer.bytes[...]))
        return Self.magic + head.bytes + writer.bytes
    }

    private static func decoded(_ bytes: [UInt8]) throws(DamagedCache) -> [[UInt8]: Entry] {
        let start = magic.count + 8
        guard bytes.starts(with: magic), bytes.count > start else { throw DamagedCache() }
        var head = ByteReader(bytes, from: magic.count)
        guard try head.word() == Checksum.of(bytes[start...]) else { throw DamagedCache() }
        var reader = ByteReader(bytes, from: start)
        let list = try reader.list { (reader) throws(DamagedCache) in
            let name = try reader.data()
            var entry = Entry(size: try reader.number(), modified: try reader.signed(), book: Book())
            entry.book.uuid = try reader.optionalText()
            entry.book.title = try reader.optionalText()
            entry.book.titleSort = try reader.optionalText()
            entry.book.authorSort = try reader.optionalText()
            entry.book.series = try reader.optionalText()
            entry.book.publisher = try reader.optionalText()
            entry.book.pubdate = try reader.optionalText()
            entry.book.description = try reader.optionalText()
            entry.book.coverMediaType = try reader.optionalText()
            entry.book.authors = try reader.optional { (reader) throws(DamagedCache) in try reader.texts() }
            entry.book.tags = try reader.optional { (reader) throws(DamagedCache) in try reader.texts() }
            entry.book.seriesIndex = try reader.double()
            entry.book.rating = try reader.double()
            entry.book.coverSize = try reader.optional { (reader) throws(DamagedCache) in try reader.number()
            }
            entry.book.coverData = try reader.optional { (reader) throws(DamagedCache) in try reader.data() }
            return (name, entry)
        }
        return Dictionary(list, uniquingKeysWith: { _, last in last })
    }
}
