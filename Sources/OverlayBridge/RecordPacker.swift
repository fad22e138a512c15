import BookModel
import OverlayABI

/// Packs the values of one record into memory of a given size, and checks and counts each of them.
///
/// A booklist may have more than a million values, so nothing here is allocated, retained or looked up by name.
struct RecordPacker {
    private let limits: BookLimits
    private let overhead: BookReader.Overhead
    /// The size of the books so far in bytes, as in ``BookReader/bytes``.
    private(set) var counted: UInt64
    /// The number of bytes by which the memory is too small; 0 if the book has been packed.
    private(set) var missing = 0
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var written = 0

    /// Creates a packer for one record.
    init(_ limits: BookLimits, _ overhead: BookReader.Overhead, counted: UInt64) {
        self.limits = limits
        self.overhead = overhead
        self.counted = counted
    }

    /// Packs the record in the format of ``PackedBook``.
    ///
    /// - Parameters:
    ///   - record: the bytes of a record that is zero after its last known field.
    ///   - flags: the flags of the record.
    ///   - memory: the memory for the packed book. The bytes after the book are undefined.
    /// - Returns: the size of the packed book in bytes; 0 if it needs more memory, as stated in ``missing``.
    /// - Throws: the first rule that a value breaks.
    mutating func pack(
        _ record: UnsafeRawBufferPointer, _ flags: UInt32, into memory: UnsafeMutableRawBufferPointer
    ) throws(ViewFault) -> Int {
        (self.memory, written) = (memory, 0)
        append(word: 0)
        var rows: UInt64 = 0
        let table = BookTable.rows
        for index in table.indices {
            let row = table[index]
            guard has(row, record, flags) else { continue }
            rows |= 1 << UInt64(index)
            try pack(row, of: record)
        }
        guard missing == 0 else { return 0 }
        memory.storeBytes(of: rows.littleEndian, as: UInt64.self)
        return written
    }

    /// Whether a record has a value. A view with a size but without data counts as present, so that it is refused.
    @inline(__always)
    private func has(_ row: BookTable.Row, _ record: UnsafeRawBufferPointer, _ flags: UInt32) -> Bool {
        // A view begins with a pointer and a count.
        row.flag != 0
            ? flags & row.flag != 0
            : record.load(fromByteOffset: row.offset, as: UInt.self) != 0
                || record.load(fromByteOffset: row.offset + 8, as: UInt64.self) != 0
    }

    /// Packs a value of the record.
    @inline(__always)
    private mutating func pack(_ row: BookTable.Row, of record: UnsafeRawBufferPointer) throws(ViewFault) {
        switch row.kind {
        case .text:
            let view = record.load(fromByteOffset: row.offset, as: ovl_text.self)
            try pack(view, row, limit: limits.bytes(row.limit))
        case .texts:
            try pack(record.load(fromByteOffset: row.offset, as: ovl_texts.self), row)
        case .bytes:
            let view = record.load(fromByteOffset: row.offset, as: ovl_bytes.self)
            guard let image = try view.buffer(row.title, limit: limits.cover) else {
                throw .absent(row.title)
            }
            try count(UInt64(image.count))
            _ = append(image)
        case .number, .count, .time:
            append(word: record.load(fromByteOffset: row.offset, as: UInt64.self))
        case .flag:
            append(byte: record.load(fromByteOffset: row.offset, as: UInt32.self) != 0 ? 1 : 0)
        }
    }

    @inline(__always)
    private mutating func pack(_ view: ovl_text, _ row: BookTable.Row, limit: Int) throws(ViewFault) {
        guard let text = try view.buffer(row.title, limit: limit) else { throw .absent(row.title) }
        try count(UInt64(text.count))
        // Validate the copy, because the original may change at the same time.
        guard let copy = append(UnsafeRawBufferPointer(text)), !copy.isASCII else { return }
        let bytes = copy.assumingMemoryBound(to: UInt8.self)
        do { _ = try UTF8Span(validating: bytes.span) } catch { throw .notUTF8(row.title) }
    }

    private mutating func pack(_ view: ovl_texts, _ row: BookTable.Row) throws(ViewFault) {
        guard let items = try view.buffer(row.title, limit: limits.texts) else { throw .absent(row.title) }
        try count(overhead.element * UInt64(items.count))
        append(count: items.count)
        for item in items { try pack(item, row, limit: limits.text) }
    }

    @inline(__always)
    private mutating func count(_ more: UInt64) throws(ViewFault) {
        let (sum, overflow) = counted.addingReportingOverflow(more)
        guard !overflow, sum <= limits.total else { throw .totalBytes(limit: limits.total) }
        counted = sum
    }

    // MARK: bytes

    /// Whether there is space for more bytes. Records the missing space.
    @inline(__always)
    private mutating func hasRoom(_ count: Int) -> Bool {
        guard missing == 0, memory.count - written >= count else {
            missing += count
            return false
        }
        return true
    }

    @inline(__always)
    private mutating func append(byte: UInt8) {
        guard hasRoom(1) else { return }
        memory[written] = byte
        written += 1
    }

    @inline(__always)
    private mutating func append(word: UInt64) {
        guard hasRoom(8) else { return }
        memory.storeBytes(of: word.littleEndian, toByteOffset: written, as: UInt64.self)
        written += 8
    }

    /// Appends a count in the format of `PackedWriter`.
    @inline(__always)
    private mutating func append(count: Int) {
        var rest = UInt64(count)
        while rest >= 0x80 {
            append(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(byte: UInt8(truncatingIfNeeded: rest))
    }

    /// Appends bytes after their count. Returns the copy; nil if there is not enough space.
    @inline(__always)
    private mutating func append(_ run: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        append(count: run.count)
        guard hasRoom(run.count) else { return nil }
        let copy = UnsafeMutableRawBufferPointer(rebasing: memory[written..<written + run.count])
        copy.copyMemory(from: run)
        written += run.count
        return UnsafeRawBufferPointer(copy)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether all bytes are below 128, as in most texts of books. Checks eight bytes at a time.
    @inline(__always)
    fileprivate var isASCII: Bool {
        let high: UInt64 = 0x8080_8080_8080_8080
        guard count >= 8 else { return allSatisfy { $0 < 0x80 } }
        // The last eight bytes may overlap with bytes that are also checked in the loop.
        var bits = loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        for place in stride(from: 0, to: count - 8, by: 8) {
            bits |= loadUnaligned(fromByteOffset: place, as: UInt64.self)
        }
        return bits & high == 0
    }
}
