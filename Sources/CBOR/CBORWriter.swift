/// Encodes values as CBOR data items (RFC 8949) one after another, which is a CBOR sequence (RFC 8742).
///
/// An absent value is null. Equal values give equal bytes, because heads are as short as possible; only floating-point
/// numbers are told apart by their 64 bits, such as 0 and -0. ``CBORReader`` reads the items.
public struct CBORWriter: Sendable {
    /// The items so far.
    public private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    public init() {}

    /// Removes the content and keeps the memory.
    public mutating func reset() { bytes.removeAll(keepingCapacity: true) }

    /// Appends an unsigned integer.
    public mutating func append(_ value: UInt64?) {
        guard let value else { return appendNull() }
        append(.unsigned, value)
    }

    /// Appends an integer.
    public mutating func append(_ value: Int64?) {
        guard let value else { return appendNull() }
        // A negative integer is stored as -1 - value, which is the inverse of its bits.
        if value < 0 {
            append(.negative, ~UInt64(bitPattern: value))
        } else {
            append(.unsigned, UInt64(value))
        }
    }

    /// Appends a floating-point number.
    public mutating func append(_ value: Double?) {
        guard let value else { return appendNull() }
        bytes.append(CBORHead.doubleByte)
        withUnsafeBytes(of: value.bitPattern.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a boolean.
    public mutating func append(_ value: Bool?) {
        bytes.append(value.map(CBORHead.byte(of:)) ?? CBORHead.nullByte)
    }

    /// Appends a text.
    public mutating func append(_ text: String?) {
        guard var text else { return appendNull() }
        text.withUTF8 {
            append(.text, UInt64($0.count))
            bytes.append(contentsOf: $0)
        }
    }

    /// Appends a byte string.
    public mutating func append(bytes run: UnsafeRawBufferPointer) {
        append(.bytes, UInt64(run.count))
        bytes.append(contentsOf: run)
    }

    /// Appends an array of texts.
    public mutating func append(_ texts: [String]) {
        beginArray(texts.count)
        for text in texts { append(text) }
    }

    /// Begins an array. The next `count` items are its elements.
    public mutating func beginArray(_ count: Int) { append(.array, UInt64(count)) }

    private mutating func appendNull() { bytes.append(CBORHead.nullByte) }

    private mutating func append(_ kind: CBORHead.Kind, _ argument: UInt64) {
        let (information, size) = CBORHead.form(of: argument)
        bytes.append(kind.rawValue << 5 | information)
        withUnsafeBytes(of: argument.bigEndian) { bytes.append(contentsOf: $0.suffix(size)) }
    }
}
