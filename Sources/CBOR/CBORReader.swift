/// Reads the items that a ``CBORWriter`` wrote, in the same order.
///
/// The bytes are not trusted. A missing item, or one of another type, sets ``isDamaged`` and is read as nil or empty,
/// like null; nothing after it is read. Items of indefinite length, tags and maps count as damage.
public struct CBORReader {
    private let bytes: UnsafeRawBufferPointer
    /// The number of bytes that have been read.
    public private(set) var position = 0
    /// Whether an item was missing or invalid.
    public private(set) var isDamaged = false

    /// Reads bytes, which must stay valid while the reader is used.
    public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The number of bytes that are left.
    public var left: Int { bytes.count - position }

    /// Reads an unsigned integer.
    public mutating func unsigned() -> UInt64? { argument(.unsigned) }

    /// Reads an integer.
    public mutating func signed() -> Int64? {
        guard left > 0, bytes[position] >> 5 == CBORHead.Kind.negative.rawValue else {
            guard let value = argument(.unsigned) else { return nil }
            return Int64(exactly: value) ?? damaged()
        }
        guard let value = argument(.negative) else { return nil }
        return Int64(exactly: value).map { ~$0 } ?? damaged()
    }

    /// Reads a floating-point number.
    public mutating func double() -> Double? {
        guard let first = first(), first != CBORHead.nullByte else { return nil }
        guard first == CBORHead.doubleByte, left >= 8 else { return damaged() }
        let run = take(8)
        return Double(bitPattern: UInt64(bigEndian: run.loadUnaligned(as: UInt64.self)))
    }

    /// Reads a boolean.
    public mutating func bool() -> Bool? {
        switch first() {
        case CBORHead.byte(of: true): true
        case CBORHead.byte(of: false): false
        case CBORHead.nullByte, nil: nil
        default: damaged()
        }
    }

    /// Reads a text. Bytes that are not UTF-8 are replaced by U+FFFD.
    public mutating func text() -> String? {
        guard let count = argument(.text) else { return nil }
        return String(decoding: take(count), as: UTF8.self)
    }

    /// Reads the bytes of a text, which may not be UTF-8; empty for null.
    public mutating func utf8() -> UnsafeRawBufferPointer { take(argument(.text) ?? 0) }

    /// Reads a byte string; empty for null.
    public mutating func byteString() -> UnsafeRawBufferPointer { take(argument(.bytes) ?? 0) }

    /// Reads the head of an array, and returns the number of its elements. Each element needs at least one byte.
    public mutating func beginArray() -> Int {
        guard let count = argument(.array) else { return 0 }
        guard count <= UInt64(left) else { return damaged() ?? 0 }
        return Int(count)
    }

    /// Reads the head of an array that must have this number of elements.
    public mutating func beginArray(of count: Int) {
        if beginArray() != count { markDamaged() }
    }

    /// Reads an array with `element`, which is not called after damage.
    public mutating func array<Element>(_ element: (inout CBORReader) -> Element) -> [Element] {
        let count = beginArray()
        var elements: [Element] = []
        while elements.count < count, !isDamaged { elements.append(element(&self)) }
        return elements
    }

    /// Reads an array of texts.
    public mutating func texts() -> [String] { array { $0.text() ?? "" } }

    // MARK: bytes

    /// The argument of an item of this type; nil for null and after damage.
    private mutating func argument(_ kind: CBORHead.Kind) -> UInt64? {
        guard let first = first(), first != CBORHead.nullByte else { return nil }
        let information = first & 0x1F
        guard first >> 5 == kind.rawValue, information < 28 else { return damaged() }
        guard information >= 24 else { return UInt64(information) }
        let run = take(UInt64(1) << UInt64(information - 24))
        return isDamaged ? nil : run.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func first() -> UInt8? {
        guard left > 0 else { return damaged() }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func take(_ count: UInt64) -> UnsafeRawBufferPointer {
        guard count <= UInt64(left) else {
            markDamaged()
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        defer { position += Int(count) }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(count)])
    }

    /// Ends reading, because the bytes are not what was expected.
    private mutating func damaged<Value>() -> Value? {
        markDamaged()
        return nil
    }

    /// Sets ``isDamaged``, because the values that were read are not possible. Nothing more is read.
    public mutating func markDamaged() { (isDamaged, position) = (true, bytes.count) }
}
