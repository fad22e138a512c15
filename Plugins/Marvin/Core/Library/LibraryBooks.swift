import OverlayKit

/// The books of a library in order. Each is stored in a few bytes and decoded on access, because a library may have 100,000.
struct LibraryBooks: RandomAccessCollection, Sendable {
    private var runs = ByteRuns()
    private var writer = PackedWriter()

    var startIndex: Int { 0 }
    var endIndex: Int { runs.count }

    subscript(position: Int) -> LibraryBook {
        runs.withBytes(at: position) { bytes in
            var reader = PackedReader(bytes)
            return LibraryBook(reading: &reader)
        }
    }

    /// Adds a book at the end.
    mutating func append(_ book: LibraryBook) {
        writer.reset()
        book.pack(into: &writer)
        runs.append(writer.bytes)
    }

    /// Whether a book equals one in another list.
    func isSame(_ position: Int, as other: LibraryBooks, _ place: Int) -> Bool {
        runs.withBytes(at: position) { bytes in
            other.runs.withBytes(at: place) { $0.elementsEqual(bytes) }
        }
    }

    /// A range of the books in stored form, each preceded by its size.
    func packed(_ part: Range<Int>) -> [UInt8] {
        var writer = PackedWriter()
        for position in part {
            runs.withBytes(at: position) { bytes in
                writer.append(count: bytes.count)
                writer.append(raw: bytes)
            }
        }
        return writer.bytes
    }

    /// Adds books in that form; false if the bytes are damaged.
    mutating func append(packed block: [UInt8]) -> Bool {
        var ranges: [Range<Int>] = []
        let isWhole = block.withUnsafeBytes { bytes in
            var reader = PackedReader(bytes)
            while reader.left > 0 {
                let size = reader.count()
                let start = reader.position
                _ = reader.raw(size)
                ranges.append(start..<reader.position)
            }
            return !reader.isDamaged
        }
        if isWhole { runs.append(block, at: ranges) }
        return isWhole
    }
}

extension LibraryBooks: Equatable, ExpressibleByArrayLiteral {
    static func == (left: LibraryBooks, right: LibraryBooks) -> Bool {
        left.count == right.count && left.indices.allSatisfy { left.isSame($0, as: right, $0) }
    }

    init(arrayLiteral books: LibraryBook...) {
        self.init()
        for book in books { append(book) }
    }
}

extension LibraryBook {
    /// Writes the book. Equal books give equal bytes.
    func pack(into writer: inout PackedWriter) {
        writer.append(optional: id.map { UInt64(bitPattern: $0) })
        writer.append(fileName)
        for text in [
            uuid, title, author, authorSort, titleSort, series, publisher, published, description, hash,
            coverHash,
        ] { writer.append(text) }
        for number in [seriesIndex, rating, progress] { writer.append(optional: number?.bitPattern) }
        writer.append(optional: added.map { UInt64(bitPattern: $0) })
        writer.append(optional: wordCount)
        writer.append(isLocked.map { $0 ? 2 : 1 } ?? 0)
        writer.append(word: UInt64(bitPattern: Int64(coverBlobSize)))
        writer.append(tags)
        writer.append(collections)
        writer.append(word: UInt64(unread.rawValue) << 32 | UInt64(cut.rawValue))
    }

    /// Reads a book in that form.
    init(reading reader: inout PackedReader) {
        let id = reader.optionalWord().map { Int64(bitPattern: $0) }
        self.init(id: id, fileName: reader.text() ?? "")
        uuid = reader.text()
        title = reader.text()
        author = reader.text()
        authorSort = reader.text()
        titleSort = reader.text()
        series = reader.text()
        publisher = reader.text()
        published = reader.text()
        description = reader.text()
        hash = reader.text()
        coverHash = reader.text()
        seriesIndex = reader.optionalWord().map { Double(bitPattern: $0) }
        rating = reader.optionalWord().map { Double(bitPattern: $0) }
        progress = reader.optionalWord().map { Double(bitPattern: $0) }
        added = reader.optionalWord().map { Int64(bitPattern: $0) }
        wordCount = reader.optionalWord()
        let locked = reader.byte()
        isLocked = locked == 0 ? nil : locked == 2
        coverBlobSize = Int(Int64(bitPattern: reader.word()))
        tags = reader.texts()
        collections = reader.texts()
        let fields = reader.word()
        unread = FieldSet(rawValue: UInt32(truncatingIfNeeded: fields >> 32))
        cut = FieldSet(rawValue: UInt32(truncatingIfNeeded: fields))
    }
}
