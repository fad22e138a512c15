import DeviceDatabases

extension LibrarySnapshot {
    /// What every file begins with; the last byte is the version of the format.
    private static let magic = Array("OVLMARVN".utf8) + [0, 0, 0, 3]
    /// The magic and the checksum.
    private static let head = 20

    /// The file that keeps the snapshot.
    ///
    /// - Parameter withImages: false leaves out where images lie, for a reader who does not have them.
    func encoded(withImages: Bool = true) -> [UInt8] {
        var writer = ByteWriter()
        state.write(to: &writer)
        writer.bool(isSettled)
        // Of no use any more, and another one in every run.
        writer.signed(isSettled ? 0 : seenAt)
        writer.number(UInt64(max(0, textBytes)))
        writer.word(withImages ? pushed : 0)
        writer.list(lacks) { $0.text($1) }
        writer.list(entries) { $1.write(to: &$0, withImage: withImages) }
        var head = ByteWriter()
        head.word(CacheChecksum.of(writer.bytes[...]))
        return Self.magic + head.bytes + writer.bytes
    }

    /// Reads a file.
    ///
    /// - Throws: `DamagedCache` for anything that `encoded` did not write.
    init(decoding bytes: [UInt8]) throws(DamagedCache) {
        guard bytes.starts(with: Self.magic), bytes.count > Self.head else { throw DamagedCache() }
        var head = ByteReader(bytes, from: Self.magic.count)
        guard try head.word() == CacheChecksum.of(bytes[Self.head...]) else { throw DamagedCache() }
        var reader = ByteReader(bytes, from: Self.head)
        state = try LibraryState(&reader)
        isSettled = try reader.bool()
        seenAt = try reader.signed()
        textBytes = Int(clamping: try reader.number())
        pushed = try reader.word()
        lacks = try reader.list { (reader) throws(DamagedCache) in try reader.text() }
        entries = try reader.list { (reader) throws(DamagedCache) in try Entry(&reader) }
        guard reader.isAtEnd else { throw DamagedCache() }
    }
}

extension LibraryState {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.number(UInt64(root))
        writer.text(library)
        writer.list(mark.sizes) { $0.optional($1) { $0.number($1) } }
        writer.list(mark.times) { $0.signed($1) }
        writer.list(mark.heads) { $0.data($1) }
        writer.list([documents] + covers) { writer, folder in
            writer.optional(folder.modified) { $0.signed($1) }
            writer.number(folder.size)
        }
    }

    fileprivate init(_ reader: inout ByteReader) throws(DamagedCache) {
        guard let root = UInt32(exactly: try reader.number()) else { throw DamagedCache() }
        self.root = root
        library = try reader.text()
        let sizes = try reader.list { (reader) throws(DamagedCache) in
            try reader.optional { (reader) throws(DamagedCache) in try reader.number() }
        }
        let times = try reader.list { (reader) throws(DamagedCache) in try reader.signed() }
        let heads = try reader.list { (reader) throws(DamagedCache) in try reader.data() }
        let folders = try reader.list { (reader) throws(DamagedCache) in
            Folder(
                modified: try reader.optional { (reader) throws(DamagedCache) in try reader.signed() },
                size: try reader.number())
        }
        guard sizes.count == 3, times.count == 3, heads.count == 3, let documents = folders.first else {
            throw DamagedCache()
        }
        mark = DatabaseMark(sizes: sizes, times: times, heads: heads)
        self.documents = documents
        covers = Array(folders.dropFirst())
    }
}

extension LibrarySnapshot.Entry {
    fileprivate func write(to writer: inout ByteWriter, withImage: Bool) {
        writer.optional(book.id) { $0.signed($1) }
        writer.text(book.fileName)
        for text in [
            book.uuid, book.title, book.author, book.authorSort, book.titleSort, book.series, book.publisher,
            book.published, book.description, book.hash, book.coverHash,
        ] {
            writer.text(text)
        }
        for number in [book.seriesIndex, book.rating, book.progress] { writer.double(number) }
        writer.optional(book.added) { $0.signed($1) }
        writer.optional(book.isLocked) { $0.bool($1) }
        writer.optional(book.wordCount) { $0.number($1) }
        writer.number(UInt64(max(0, book.coverBlobSize)))
        writer.texts(book.tags)
        writer.texts(book.collections)
        writer.number(UInt64(book.unread.rawValue))
        writer.number(UInt64(book.cut.rawValue))
        writer.optional(size) { $0.number($1) }
        writer.optional(cover) { writer, cover in
            writer.text(cover.mediaType)
            writer.number(cover.size)
            writer.signed(cover.readAfter)
            writer.bool(cover.isBlob)
            writer.optional(withImage ? cover.stored : nil) { writer, stored in
                for number in [stored.pack, stored.offset, stored.length] { writer.number(number) }
                writer.word(stored.checksum)
            }
        }
    }

    fileprivate init(_ reader: inout ByteReader) throws(DamagedCache) {
        let id = try reader.optional { (reader) throws(DamagedCache) in try reader.signed() }
        let name = try reader.text()
        guard isSafeName(name) else { throw DamagedCache() }
        book = LibraryBook(id: id, fileName: name)
        book.uuid = try reader.optionalText()
        book.title = try reader.optionalText()
        book.author = try reader.optionalText()
        book.authorSort = try reader.optionalText()
        book.titleSort = try reader.optionalText()
        book.series = try reader.optionalText()
        book.publisher = try reader.optionalText()
        book.published = try reader.optionalText()
        book.description = try reader.optionalText()
        book.hash = try reader.optionalText()
        if let hash = book.hash, !isSafeName(hash) { throw DamagedCache() }
        book.coverHash = try reader.optionalText()
        book.seriesIndex = try reader.double()
        book.rating = try reader.double()
        book.progress = try reader.double()
        book.added = try reader.optional { (reader) throws(DamagedCache) in try reader.signed() }
        book.isLocked = try reader.optional { (reader) throws(DamagedCache) in try reader.bool() }
        book.wordCount = try reader.optional { (reader) throws(DamagedCache) in try reader.number() }
        book.coverBlobSize = Int(clamping: try reader.number())
        book.tags = try reader.texts()
        book.collections = try reader.texts()
        book.unread = FieldSet(rawValue: UInt32(truncatingIfNeeded: try reader.number()))
        book.cut = FieldSet(rawValue: UInt32(truncatingIfNeeded: try reader.number()))
        size = try reader.optional { (reader) throws(DamagedCache) in try reader.number() }
        cover = try reader.optional { (reader) throws(DamagedCache) in
            CoverEntry(
                mediaType: try reader.text(), size: try reader.number(),
                readAfter: try reader.signed(), isBlob: try reader.bool(),
                stored: try reader.optional { (reader) throws(DamagedCache) in
                    StoredCover(
                        pack: try reader.number(), offset: try reader.number(), length: try reader.number(),
                        checksum: try reader.word())
                })
        }
    }
}
