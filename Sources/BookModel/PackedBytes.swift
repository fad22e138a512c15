/// Writes values one behind the other into a run of bytes, for ``ByteRuns`` or a file. ``PackedReader`` reads them.
///
/// A count takes one byte below 128, and one more for each further 7 bits; a text and a list stand behind their count, where an
/// absent text is 0 and a present one its count of bytes and 1.
package struct PackedWriter: Sendable {
    /// What has been written.
    package private(set) var bytes: [UInt8] = []

    /// Nothing yet.
    package init() {}

    /// Begins anew, with the memory that it has.
    package mutating func reset() { bytes.removeAll(keepingCapacity: true) }

    /// Appends a byte.
    package mutating func append(_ byte: UInt8) { bytes.append(byte) }

    /// Appends a word of eight bytes.
    package mutating func append(word: UInt64) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a word that may be absent.
    package mutating func append(optional word: UInt64?) {
        append(word == nil ? 0 : 1)
        if let word { append(word: word) }
    }

    /// Appends a count, which is not negative.
    package mutating func append(count: Int) {
        var rest = UInt64(max(0, count))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends bytes as they are.
    package mutating func append(raw run: UnsafeRawBufferPointer) { bytes.append(contentsOf: run) }

    /// Appends a text that may be absent.
    package mutating func append(_ text: String?) {
        guard var text else { return append(count: 0) }
        text.withUTF8 {
            append(count: $0.count + 1)
            bytes.append(contentsOf: $0)
        }
    }

    /// Appends a list of texts.
    package mutating func append(_ texts: [String]) {
        append(count: texts.count)
        for text in texts { append(text) }
    }
}

/// Reads what a ``PackedWriter`` wrote, in the same order.
///
/// The bytes may come from anywhere: what is missing at their end is zero, empty or absent, and ``isDamaged`` says so.
package struct PackedReader {
    private let bytes: UnsafeRawBufferPointer
    /// Bytes that have been read.
    package private(set) var position = 0
    /// Whether something was missing, or is not as it is written.
    package private(set) var isDamaged = false

    /// Reads bytes that stay where they are as long as the reader is used.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Bytes that are left.
    package var left: Int { bytes.count - position }

    /// Bytes as they are.
    package mutating func raw(_ count: Int) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= left else {
            (isDamaged, position) = (true, bytes.count)
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// A byte.
    package mutating func byte() -> UInt8 { raw(1).first ?? 0 }

    /// A word of eight bytes.
    package mutating func word() -> UInt64 {
        let run = raw(8)
        return run.count == 8 ? UInt64(littleEndian: run.loadUnaligned(as: UInt64.self)) : 0
    }

    /// A word that may be absent.
    package mutating func optionalWord() -> UInt64? { byte() == 0 ? nil : word() }

    /// A count.
    package mutating func count() -> Int {
        var (count, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let byte = byte()
            // 56 bits count more than there is memory.
            guard shift < 56 else {
                isDamaged = true
                return 0
            }
            count |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int(count) }
            shift += 7
        }
    }

    /// A text that may be absent. What is not UTF-8 is repaired.
    package mutating func text() -> String? {
        let count = count()
        return count == 0 ? nil : String(decoding: raw(count - 1), as: UTF8.self)
    }

    /// A list of texts.
    package mutating func texts() -> [String] {
        let count = count()
        var texts: [String] = []
        // Each takes a byte at least.
        texts.reserveCapacity(min(count, left))
        while texts.count < count, !isDamaged { texts.append(text() ?? "") }
        return texts
    }
}
