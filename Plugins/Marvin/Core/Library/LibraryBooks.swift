import CBOR
import OverlayKit

/// The books of a library in order. Each is stored in a few bytes and decoded on access, because a library may have
/// 100,000.
struct LibraryBooks: RandomAccessCollection, Sendable {
    private var runs = ByteRuns()
    private var writer = CBORWriter()

    var startIndex: Int { 0 }
    var endIndex: Int { runs.count }

    subscript(position: Int) -> LibraryBook {
        runs.withBytes(at: position) { bytes in
            var reader = CBORReader(bytes)
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

    /// A range of the books as a CBOR sequence of byte strings, each with the items of a book.
    func packed(_ part: Range<Int>) -> [UInt8] {
        var writer = CBORWriter()
        for position in part { runs.withBytes(at: position) { writer.append(bytes: $0) } }
        return writer.bytes
    }

    /// Adds books in that form; false if the bytes are damaged.
    mutating func append(packed block: [UInt8]) -> Bool {
        var ranges: [Range<Int>] = []
        let isWhole = block.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            while reader.left > 0 {
                let count = reader.byteString().count
                ranges.append(reader.position - count..<reader.position)
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
    /// Writes the items of the book. Equal books give equal bytes.
    func pack(into writer: inout CBORWriter) {
        writer.append(id)
        writer.append(fileName)
        for text in [
            uuid, title, author, authorSort, titleSort, series, publisher, published, description, hash,
            coverHash,
        ] { writer.append(text) }
        for number in [seriesIndex, rating, progress] { writer.append(number) }
        writer.append(added)
        writer.append(wordCount)
        writer.append(isLocked)
        writer.append(Int64(coverBlobSize))
        writer.append(tags)
        writer.append(collections)
        for fields in [unread, cut] { writer.append(UInt64(fields.rawValue)) }
    }

    /// Reads a book in that form.
    init(reading reader: inout CBORReader) {
        let id = reader.signed()
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
        seriesIndex = reader.double()
        rating = reader.double()
        progress = reader.double()
        added = reader.signed()
        wordCount = reader.unsigned()
        isLocked = reader.bool()
        coverBlobSize = Int(reader.signed() ?? 0)
        tags = reader.texts()
        collections = reader.texts()
        unread = FieldSet(reading: &reader)
        cut = FieldSet(reading: &reader)
        // A snapshot with a book without a safe name is not used.
        if reader.isDamaged || reader.left > 0 { fileName = "" }
    }
}

extension FieldSet {
    fileprivate init(reading reader: inout CBORReader) {
        self.init(rawValue: UInt32(truncatingIfNeeded: reader.unsigned() ?? 0))
    }
}
