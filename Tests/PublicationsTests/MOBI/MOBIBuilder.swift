/// Writes MOBI files for tests.
struct MOBIBuilder {
    var name = "Database_name"
    var kind = "BOOKMOBI"
    var encoding = 65_001
    var version = 6
    var encryption = 0
    var locale = 0
    var fullName: [UInt8] = []
    /// Number and content of the metadata records.
    var extra: [(Int, [UInt8])] = []
    var hasExtra = true
    /// Text records, so that images do not come first.
    var textRecords = 2
    var images: [[UInt8]] = []
    /// Another book for new readers in the same file.
    var second: [UInt8]?

    static let boundary = Array("BOUNDARY".utf8)

    mutating func add(_ kind: Int, _ text: String) { extra.append((kind, Array(text.utf8))) }

    mutating func add(_ kind: Int, number: Int) { extra.append((kind, Self.number(number, 4))) }

    /// The record with the headers.
    var header: [UInt8] {
        var record =
            Self.number(2, 2) + Self.number(0, 2) + Self.number(1_000, 4) + Self.number(textRecords, 2)
        record += Self.number(4_096, 2) + Self.number(encryption, 2) + Self.number(0, 2)
        var mobi = [UInt8](repeating: 0, count: 232)
        func put(_ offset: Int, _ value: Int, _ width: Int = 4) {
            mobi.replaceSubrange(offset - 16..<offset - 16 + width, with: Self.number(value, width))
        }
        mobi.replaceSubrange(0..<4, with: Array("MOBI".utf8))
        put(20, 232)
        put(24, 2)
        put(28, encoding)
        put(36, version)
        put(92, locale)
        put(108, images.isEmpty ? 0xFFFF_FFFF : textRecords + 1)
        put(128, hasExtra ? 0x50 : 0)
        var records: [UInt8] = []
        for (kind, content) in extra {
            records += Self.number(kind, 4) + Self.number(content.count + 8, 4) + content
        }
        let tail =
            hasExtra
            ? Array("EXTH".utf8) + Self.number(12 + records.count, 4) + Self.number(extra.count, 4) + records
            : []
        put(84, 16 + 232 + tail.count)
        put(88, fullName.count)
        record += mobi + tail + fullName
        return record + [UInt8](repeating: 0, count: 1_024)
    }

    /// The whole file.
    var bytes: [UInt8] {
        var records = [header]
        for _ in 0..<textRecords { records.append([UInt8](repeating: 0x20, count: 4_000)) }
        records += images
        if let second { records += [Self.boundary, second] }
        var file = Array(name.utf8) + [UInt8](repeating: 0, count: 60 - name.utf8.count)
        file += Array(kind.utf8) + [UInt8](repeating: 0, count: 8) + Self.number(records.count, 2)
        var offset = file.count + records.count * 8
        for (index, record) in records.enumerated() {
            file += Self.number(offset, 4) + Self.number(index * 2, 4)
            offset += record.count
        }
        return file + records.joined()
    }

    static func number(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - $0))) }
    }
}
