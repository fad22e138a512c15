/// The records of an EXTH header, by number. They hold the metadata of a MOBI book.
struct EXTHHeader {
    /// The numbers of the records that are used here.
    enum Kind {
        static let author = 100
        static let publisher = 101
        static let description = 103
        static let isbn = 104
        static let subject = 105
        static let published = 106
        static let contributor = 108
        static let rights = 109
        static let source = 112
        static let asin = 113
        static let kf8Boundary = 121
        static let coverOffset = 201
        static let thumbnailOffset = 202
        static let title = 503
        static let secondASIN = 504
        static let modified = 508
        static let language = 524
    }

    /// The largest number of records that are read.
    private static let most = 4_096

    /// Whether the header ends before its last record, or states an impossible length or number of records.
    private(set) var isDamaged = false
    private var records: [Int: [ArraySlice<UInt8>]] = [:]

    /// Reads the EXTH header at an offset of the first record; nil if there is none.
    init?(_ record: BigEndianBytes, at start: Int) {
        guard record.bytes(start, 4).elementsEqual("EXTH".utf8), let length = record.uint32(start + 4),
            let count = record.uint32(start + 8)
        else { return nil }
        // Some writers include the padding or the header in the length, so the end follows from the records instead.
        isDamaged = length < 12 || count > Self.most
        var position = start + 12
        for _ in 0..<min(count, Self.most) {
            guard let kind = record.uint32(position), let size = record.uint32(position + 4), size >= 8,
                size <= record.count - position
            else {
                isDamaged = true
                return
            }
            records[kind, default: []].append(record.bytes(position + 8, size - 8))
            position += size
        }
    }

    /// The contents of all records of a kind, in order.
    func all(_ kind: Int) -> [ArraySlice<UInt8>] { records[kind] ?? [] }

    /// The number in the first record of a kind; nil if it is not a number, or has the value that means "none".
    func number(_ kind: Int) -> Int? {
        guard let bytes = records[kind]?.first, (1...4).contains(bytes.count) else { return nil }
        let value = bytes.reduce(0) { $0 << 8 | Int($1) }
        return value == 0xFFFF_FFFF ? nil : value
    }
}
