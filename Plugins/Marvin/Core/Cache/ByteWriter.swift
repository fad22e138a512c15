/// Writes the files of the cache: numbers in as few bytes as they need, texts with their length.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// A number: seven bits in each byte, the lowest first.
    mutating func number(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// A number that may be negative; small ones of both kinds are short.
    mutating func signed(_ value: Int64) {
        number(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    /// A number of eight bytes, which need not be small.
    mutating func word(_ value: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// A value that may be absent.
    mutating func optional<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
        guard let value else { return bytes.append(0) }
        bytes.append(1)
        write(&self, value)
    }

    /// A text.
    mutating func text(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            number(UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    /// Bytes.
    mutating func data(_ value: [UInt8]) {
        number(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// A list.
    mutating func list<Value>(_ values: [Value], _ write: (inout ByteWriter, Value) -> Void) {
        number(UInt64(values.count))
        for value in values { write(&self, value) }
    }

    mutating func texts(_ values: [String]) { list(values) { $0.text($1) } }
    mutating func text(_ value: String?) { optional(value) { $0.text($1) } }
    mutating func double(_ value: Double?) { optional(value) { $0.word($1.bitPattern) } }
    mutating func bool(_ value: Bool) { bytes.append(value ? 1 : 0) }
}
