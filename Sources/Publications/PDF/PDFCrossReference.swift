/// Where an object is (ISO 32000-1, table 18).
enum PDFEntry: Equatable {
    case free
    /// At a position in the file, as the cross-reference counts it.
    case offset(Int)
    /// Inside an object stream.
    case inside(stream: Int, index: Int)
}

/// One section of the cross-reference: what one update of the file says about its objects.
enum PDFSection {
    /// A classic table, whose entries have a fixed width and are read one by one when they are needed.
    case table([Subsection])
    /// A cross-reference stream, decoded.
    case stream(PDFEntryStream)
    /// Entries that were read, or found by searching, all at once.
    case list([Int: PDFEntry])

    /// Entries of consecutive objects.
    struct Subsection {
        var first: Int
        var count: Int
        /// Where the first entry begins in the file.
        var offset: Int
        /// From one entry to the next: 20 bytes, in careless files 19 or 21.
        var width: Int
    }
}

/// The entries of a cross-reference stream (ISO 32000-1, 7.5.8).
struct PDFEntryStream {
    private let bytes: [UInt8]
    private let widths: [Int]
    private let width: Int
    private let ranges: [(first: Int, count: Int, start: Int)]

    /// Nil when the dictionary does not describe entries.
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

    /// What the stream says about an object; nil when it says nothing.
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
        // Without a first field every entry is an object in the file.
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
