/// The location of an object (ISO 32000-1, table 18).
enum PDFEntry: Equatable {
    case free
    /// The offset in the file, counted as the cross-reference counts it.
    case offset(Int)
    /// The position inside an object stream.
    case inside(stream: Int, index: Int)
}

/// One section of the cross-reference: the objects that one update of the file lists.
enum PDFSection {
    /// A classic table. Its entries have a fixed width, and each is read only when it is needed.
    case table([Subsection])
    /// A decoded cross-reference stream.
    case stream(PDFEntryStream)
    /// Entries that were read all at once, or that a search found.
    case list([Int: PDFEntry])

    /// Entries of objects with consecutive numbers.
    struct Subsection {
        var first: Int
        var count: Int
        /// The offset of the first entry in the file.
        var offset: Int
        /// The distance between entries in bytes: 20, or 19 or 21 in malformed files.
        var width: Int
    }
}

/// The entries of a cross-reference stream (ISO 32000-1, 7.5.8).
struct PDFEntryStream {
    private let bytes: [UInt8]
    private let widths: [Int]
    private let width: Int
    private let ranges: [(first: Int, count: Int, start: Int)]

    /// Nil if the dictionary does not describe the entries.
    init?(dictionary: [String: PDFObject], bytes: [UInt8]) {
        guard let fields = dictionary["W"]?.array, fields.count >= 3 else { return nil }
        var widths: [Int] = []
        for field in fields.prefix(3) {
            guard let width = field.integer, (0...8).contains(width) else { return nil }
            widths.append(width)
        }
        let width = widths.reduce(0, +)
        guard width > 0, widths[1] > 0 else { return nil }
        self.bytes = bytes
        self.widths = widths
        self.width = width
        let available = bytes.count / width
        var ranges: [(first: Int, count: Int, start: Int)] = []
        var start = 0
        let index = dictionary["Index"]?.array?.map { $0.integer ?? -1 } ?? [0, available]
        for pair in stride(from: 0, to: index.count - 1, by: 2) {
            let (first, count) = (index[pair], index[pair + 1])
            guard first >= 0, count >= 0, first <= Int.max - count else { break }
            let present = min(count, available - start)
            guard present > 0 else { break }
            ranges.append((first, present, start))
            start += present
        }
        self.ranges = ranges
    }

    /// The entry for an object; nil if the stream has none.
    func entry(_ number: Int) -> PDFEntry? {
        guard let range = ranges.first(where: { number >= $0.first && number - $0.first < $0.count }) else {
            return nil
        }
        var position = (range.start + number - range.first) * width
        var values: [Int?] = []
        for width in widths {
            var value: UInt64 = 0
            for byte in bytes[position..<position + width] { value = value << 8 | UInt64(byte) }
            values.append(Int(exactly: value))
            position += width
        }
        // If the first field is missing, each entry is an object in the file.
        switch widths[0] == 0 ? 1 : values[0] {
        case 0: return .free
        case 1: return values[1].map { .offset($0) }
        case 2:
            guard let stream = values[1], let index = values[2] else { return nil }
            return .inside(stream: stream, index: index)
        default: return nil
        }
    }
}
