/// A file of the cache is not what was written: it is made again.
struct DamagedCache: Error {}

/// Reads the files of the cache, none of whose bytes is believed.
struct ByteReader {
    private let bytes: [UInt8]
    private var position: Int

    /// - Parameter start: where the content begins.
    init(_ bytes: [UInt8], from start: Int = 0) {
        self.bytes = bytes
        position = min(max(0, start), bytes.count)
    }

    /// Whether everything was read.
    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws(DamagedCache) -> UInt8 {
        guard position < bytes.count else { throw DamagedCache() }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func number() throws(DamagedCache) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let next = try byte()
            let part = UInt64(next & 0x7F)
            guard shift < 63 || part <= 1 else { throw DamagedCache() }
            value |= part << shift
            if next & 0x80 == 0 { return value }
        }
        throw DamagedCache()
    }

    mutating func signed() throws(DamagedCache) -> Int64 {
        let value = try number()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func word() throws(DamagedCache) -> UInt64 {
        guard bytes.count - position >= 8 else { throw DamagedCache() }
        defer { position += 8 }
        return (0..<8).reduce(0) { $0 | UInt64(bytes[position + $1]) << UInt64(8 * $1) }
    }

    mutating func optional<Value>(
        _ read: (inout ByteReader) throws(DamagedCache) -> Value
    ) throws(DamagedCache) -> Value? {
        switch try byte() {
        case 0: return nil
        case 1: return try read(&self)
        default: throw DamagedCache()
        }
    }

    /// A length or a count, which cannot be larger than what is left: each element has at least a byte.
    private mutating func count() throws(DamagedCache) -> Int {
        let count = try number()
        guard count <= UInt64(bytes.count - position) else { throw DamagedCache() }
        return Int(count)
    }

    mutating func text() throws(DamagedCache) -> String {
        let count = try count()
        defer { position += count }
        return String(decoding: bytes[position..<(position + count)], as: UTF8.self)
    }

    mutating func data() throws(DamagedCache) -> [UInt8] {
        let count = try count()
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }

    mutating func list<Value>(
        _ read: (inout ByteReader) throws(DamagedCache) -> Value
    ) throws(DamagedCache) -> [Value] {
        let count = try count()
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }

    mutating func texts() throws(DamagedCache) -> [String] {
        try list { (reader) throws(DamagedCache) in try reader.text() }
    }
    mutating func optionalText() throws(DamagedCache) -> String? {
        try optional { (reader) throws(DamagedCache) in try reader.text() }
    }
    mutating func double() throws(DamagedCache) -> Double? {
        try optional { (reader) throws(DamagedCache) in Double(bitPattern: try reader.word()) }
    }
    mutating func bool() throws(DamagedCache) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw DamagedCache()
        }
    }
}
