import FoundationEssentials
import Glibc

/// A small Mobipocket file as Kindle reads it: Palm database, MOBI header, EXTH records, and a cover after the text.
public struct SampleMOBI: Sendable, Equatable {
    /// The title.
    public var title: String
    /// The authors; the main author is the first.
    public var authors: [String]
    /// The bytes of the cover, which need not be an image; nil for no cover.
    public var cover: [UInt8]?
    /// The length of the text in bytes.
    public var length: Int

    /// Creates a book with a cover of one color.
    public init(title: String, authors: [String], length: Int = 40_000) {
        self.title = title
        self.authors = authors
        self.length = length
        cover = PlainCover.small(seed: title.utf8.reduce(11) { $0 &* 31 &+ UInt64($1) }).jpeg(paddedTo: 4_000)
    }

    /// Creates a book with this cover. It may be nil, or bytes that are not an image.
    public init(title: String, authors: [String], cover: [UInt8]?, length: Int = 40_000) {
        self.init(title: title, authors: authors, length: length)
        self.cover = cover
    }

    /// Writes the file.
    public func write(to url: URL) throws { try Data(bytes).write(to: url) }

    /// The whole file.
    public var bytes: [UInt8] {
        let size = 4096
        let count = max(1, (length + size - 1) / size)
        var records = [header(textRecords: count)]
        for index in 0..<count {
            records.append(Array(repeating: UInt8(ascii: "a") + UInt8(index % 26), count: size))
        }
        if let cover { records.append(cover) }
        var name = Array(title.utf8.filter { (0x21...0x7E).contains($0) }.prefix(31))
        name += [UInt8](repeating: 0, count: 32 - name.count)
        var file = name + [UInt8](repeating: 0, count: 28) + Array("BOOKMOBI".utf8)
        file += [UInt8](repeating: 0, count: 8) + Self.number(records.count, 2)
        var offset = file.count + records.count * 8 + 2
        for (index, record) in records.enumerated() {
            file += Self.number(offset, 4) + Self.number(index * 2, 4)
            offset += record.count
        }
        return file + [0, 0] + records.joined()
    }

    /// Record 0: PalmDOC header, MOBI header, EXTH, and the full name.
    private func header(textRecords: Int) -> [UInt8] {
        var exth: [(Int, [UInt8])] = authors.map { (100, Array($0.utf8)) }
        if cover != nil { exth.append((201, Self.number(0, 4))) }
        let entries = exth.flatMap { Self.number($0.0, 4) + Self.number($0.1.count + 8, 4) + $0.1 }
        var tail =
            Array("EXTH".utf8) + Self.number(12 + entries.count, 4) + Self.number(exth.count, 4) + entries
        tail += [UInt8](repeating: 0, count: (4 - tail.count % 4) % 4)
        var mobi = [UInt8](repeating: 0, count: 232)
        func put(_ offset: Int, _ value: Int) {
            // The offsets are those of the format's description, counted from the start of the record.
            mobi.replaceSubrange(offset - 16..<offset - 12, with: Self.number(value, 4))
        }
        mobi.replaceSubrange(0..<4, with: Array("MOBI".utf8))
        put(20, 232)
        put(24, 2)
        put(28, 65_001)
        put(36, 6)
        put(84, 16 + 232 + tail.count)
        put(88, title.utf8.count)
        put(92, 9)
        put(108, cover == nil ? 0xFFFF_FFFF : textRecords + 1)
        put(128, 0x50)
        let palm =
            Self.number(1, 2) + Self.number(0, 2) + Self.number(length, 4) + Self.number(textRecords, 2)
            + Self.number(4096, 2) + Self.number(0, 4)
        return palm + mobi + tail + Array(title.utf8) + [0, 0]
    }

    private static func number(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - $0))) }
    }
}
