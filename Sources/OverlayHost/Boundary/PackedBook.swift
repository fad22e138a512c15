import OverlayABI

/// What is there of a packed book, besides the flags of its scalars (`OVL_BOOK_HAS_…`, below bit 16).
private enum Present {
    static let uuid: UInt32 = 1 << 16
    static let title: UInt32 = 1 << 17
    static let titleSort: UInt32 = 1 << 18
    static let authors: UInt32 = 1 << 19
    static let authorSort: UInt32 = 1 << 20
    static let series: UInt32 = 1 << 21
    static let publisher: UInt32 = 1 << 22
    static let pubdate: UInt32 = 1 << 23
    static let description: UInt32 = 1 << 24
    static let tags: UInt32 = 1 << 25
    static let collections: UInt32 = 1 << 26
    static let format: UInt32 = 1 << 27
    static let coverType: UInt32 = 1 << 28
    static let cover: UInt32 = 1 << 29
    static let contentID: UInt32 = 1 << 30
    static let scalars: UInt32 =
        OVL_BOOK_HAS_SERIES_INDEX | OVL_BOOK_HAS_DATE_ADDED | OVL_BOOK_HAS_RATING | OVL_BOOK_HAS_SIZE
        | OVL_BOOK_HAS_COVER_SIZE | OVL_BOOK_HAS_LOCKED | OVL_BOOK_HAS_WORD_COUNT | OVL_BOOK_HAS_PROGRESS
}

/// Packs a checked `ovl_book` into a run of bytes: what is present, the path, then every present value in the order of
/// the record. Texts have their size before them, lists their count, four bytes each: the limits of the boundary fit.
/// Annotations are kept elsewhere (`BookStorage`), since few books have any.
struct PackedWriter {
    private var place: UnsafeMutableRawPointer

    /// Writes from `place` on, where there must be room for `size(of:)` bytes.
    @inline(__always)
    init(_ place: UnsafeMutableRawPointer) { self.place = place }

    /// Bytes that a record takes beside its texts, lists and cover: the mask, the size or count of each of them, eight scalars.
    static let overhead = 4 + 4 * 16 + 8 * 7 + 4

    /// Bytes that a record takes, at most.
    @inline(__always)
    static func size(of record: ovl_book) -> Int {
        var size = overhead
        size +=
            Int(record.path.size) + Int(record.uuid.size) + Int(record.title.size)
            + Int(record.title_sort.size)
        size += Int(record.author_sort.size) + Int(record.series.size) + Int(record.publisher.size)
        size += Int(record.pubdate.size) + Int(record.description.size) + Int(record.format.size)
        size += Int(record.cover_media_type.size) + Int(record.content_id.size)
        size += Self.size(of: record.authors) + Self.size(of: record.tags) + Self.size(of: record.collections)
        return size + Int(record.cover.size)
    }

    @inline(__always)
    private static func size(of texts: ovl_texts) -> Int {
        guard let items = texts.items else { return 0 }
        var size = 4 * Int(texts.count)
        for index in 0..<Int(texts.count) { size += Int(items[index].size) }
        return size
    }

    /// Writes a record.
    @inline(__always)
    mutating func write(_ record: ovl_book) {
        let start = place
        place += 4
        put(record.path)
        var mask = record.flags & Present.scalars
        if put(record.uuid) { mask |= Present.uuid }
        if put(record.title) { mask |= Present.title }
        if put(record.title_sort) { mask |= Present.titleSort }
        if put(record.authors) { mask |= Present.authors }
        if put(record.author_sort) { mask |= Present.authorSort }
        if put(record.series) { mask |= Present.series }
        if put(record.publisher) { mask |= Present.publisher }
        if put(record.pubdate) { mask |= Present.pubdate }
        if put(record.description) { mask |= Present.description }
        if put(record.tags) { mask |= Present.tags }
        if put(record.collections) { mask |= Present.collections }
        if put(record.format) { mask |= Present.format }
        if put(record.cover_media_type) { mask |= Present.coverType }
        if let cover = record.cover.data {
            put(UInt32(truncatingIfNeeded: record.cover.size))
            put(cover, Int(record.cover.size))
            mask |= Present.cover
        }
        if mask & OVL_BOOK_HAS_SERIES_INDEX != 0 { put(record.series_index) }
        if mask & OVL_BOOK_HAS_DATE_ADDED != 0 { put(record.date_added) }
        if mask & OVL_BOOK_HAS_RATING != 0 { put(record.rating) }
        if mask & OVL_BOOK_HAS_SIZE != 0 { put(record.size) }
        if mask & OVL_BOOK_HAS_COVER_SIZE != 0 { put(record.cover_size) }
        if mask & OVL_BOOK_HAS_LOCKED != 0 { put(record.locked) }
        if mask & OVL_BOOK_HAS_WORD_COUNT != 0 { put(record.word_count) }
        if mask & OVL_BOOK_HAS_PROGRESS != 0 { put(record.progress) }
        if put(record.content_id) { mask |= Present.contentID }
        start.storeBytes(of: mask, as: UInt32.self)
    }

    @inline(__always)
    private mutating func put<Scalar: BitwiseCopyable>(_ value: Scalar) {
        place.storeBytes(of: value, as: Scalar.self)
        place += MemoryLayout<Scalar>.size
    }

    @inline(__always)
    private mutating func put(_ data: UnsafeRawPointer, _ count: Int) {
        place.copyMemory(from: data, byteCount: count)
        place += count
    }

    /// Writes a text; false if it is absent.
    @inline(__always) @discardableResult
    private mutating func put(_ text: ovl_text) -> Bool {
        guard let data = text.data else { return false }
        put(UInt32(truncatingIfNeeded: text.size))
        put(data, Int(text.size))
        return true
    }

    /// Writes a list; false if it is absent.
    @inline(__always)
    private mutating func put(_ texts: ovl_texts) -> Bool {
        guard let items = texts.items else { return false }
        put(UInt32(truncatingIfNeeded: texts.count))
        for index in 0..<Int(texts.count) { put(items[index]) }
        return true
    }
}

/// Reads what `PackedWriter` wrote.
struct PackedReader {
    private var place: UnsafeRawPointer
    fileprivate let mask: UInt32

    /// Reads from `place` on.
    @inline(__always)
    init(_ place: UnsafeRawPointer) {
        mask = place.loadUnaligned(as: UInt32.self)
        self.place = place + 4
    }

    /// The path, which comes first.
    @inline(__always)
    mutating func path() -> UnsafeRawBufferPointer { bytes() }

    @inline(__always)
    private mutating func bytes() -> UnsafeRawBufferPointer {
        let count = Int(scalar(UInt32.self))
        defer { place += count }
        return UnsafeRawBufferPointer(start: place, count: count)
    }

    @inline(__always)
    fileprivate mutating func scalar<Scalar: BitwiseCopyable>(_ type: Scalar.Type) -> Scalar {
        defer { place += MemoryLayout<Scalar>.size }
        return place.loadUnaligned(as: Scalar.self)
    }

    fileprivate mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }

    fileprivate mutating func text(_ flag: UInt32) -> String? { mask & flag != 0 ? text() : nil }

    fileprivate mutating func texts(_ flag: UInt32) -> [String]? {
        guard mask & flag != 0 else { return nil }
        let count = Int(scalar(UInt32.self))
        var texts: [String] = []
        texts.reserveCapacity(count)
        for _ in 0..<count { texts.append(text()) }
        return texts
    }

    fileprivate mutating func data(_ flag: UInt32) -> [UInt8]? { mask & flag != 0 ? [UInt8](bytes()) : nil }

    fileprivate mutating func scalar<Scalar: BitwiseCopyable>(_ type: Scalar.Type, _ flag: UInt32) -> Scalar?
    {
        mask & flag != 0 ? scalar(type) : nil
    }
}

extension BookRecord {
    /// The values of a packed book, in the order in which they were written.
    init(packed: PackedReader) {
        var reader = packed
        self.init(path: reader.text())
        uuid = reader.text(Present.uuid)
        title = reader.text(Present.title)
        titleSort = reader.text(Present.titleSort)
        authors = reader.texts(Present.authors)
        authorSort = reader.text(Present.authorSort)
        series = reader.text(Present.series)
        publisher = reader.text(Present.publisher)
        pubdate = reader.text(Present.pubdate)
        description = reader.text(Present.description)
        tags = reader.texts(Present.tags)
        collections = reader.texts(Present.collections)
        format = reader.text(Present.format)
        let mediaType = reader.text(Present.coverType)
        let data = reader.data(Present.cover)
        seriesIndex = reader.scalar(Double.self, OVL_BOOK_HAS_SERIES_INDEX)
        dateAdded = reader.scalar(Int64.self, OVL_BOOK_HAS_DATE_ADDED)
        rating = reader.scalar(Double.self, OVL_BOOK_HAS_RATING)
        size = reader.scalar(UInt64.self, OVL_BOOK_HAS_SIZE)
        let coverSize = reader.scalar(UInt64.self, OVL_BOOK_HAS_COVER_SIZE)
        isLocked = reader.scalar(UInt32.self, OVL_BOOK_HAS_LOCKED).map { $0 != 0 }
        wordCount = reader.scalar(UInt64.self, OVL_BOOK_HAS_WORD_COUNT)
        progress = reader.scalar(Double.self, OVL_BOOK_HAS_PROGRESS)
        contentID = reader.text(Present.contentID)
        guard let mediaType else { return }
        cover = BookCover(mediaType: mediaType, size: coverSize ?? data.map { UInt64($0.count) }, data: data)
    }

    /// The values of a record that has been checked, and of its annotations.
    init(checked record: ovl_book, _ annotations: [BookAnnotation] = []) {
        let size = PackedWriter.size(of: record)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer { memory.deallocate() }
        var writer = PackedWriter(memory)
        writer.write(record)
        self.init(packed: PackedReader(memory))
        self.annotations = annotations
    }
}
