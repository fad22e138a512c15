import CBOR
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
        // The bits of the values that are present, set at the end.
        if hasRoom(CBORHead.largest) { written = CBORHead.largest }
        var rows: UInt64 = 0
        let places = BookTable.places
        for index in places.indices where has(places[index], record, flags) {
            rows |= 1 << UInt64(index)
            try pack(places[index], index, of: record)
        }
        guard missing == 0, let start = memory.baseAddress else { return 0 }
        CBORHead.writeWide(rows, to: start)
        return written
    }

    /// Whether a record has a value. A view with a size but without data counts as present, so that it is refused.
    @inline(__always)
    private func has(_ place: BookTable.Place, _ record: UnsafeRawBufferPointer, _ flags: UInt32) -> Bool {
        // A view begins with a pointer and a count.
        place.flag != 0
            ? flags & place.flag != 0
            : record.load(fromByteOffset: place.start, as: UInt.self) != 0
                || record.load(fromByteOffset: place.start + 8, as: UInt64.self) != 0
    }

    /// Packs a value of the record.
    @inline(__always)
    private mutating func pack(
        _ place: BookTable.Place, _ index: Int, of record: UnsafeRawBufferPointer
    ) throws(ViewFault) {
        switch place.kind {
        case .text:
            let view = record.load(fromByteOffset: place.start, as: ovl_text.self)
            try pack(view, index, limit: limits.bytes(place.limit))
        case .texts:
            try pack(record.load(fromByteOffset: place.start, as: ovl_texts.self), index)
        case .bytes:
            let view = record.load(fromByteOffset: place.start, as: ovl_bytes.self)
            guard let image = try view.buffer(BookTable.title(index), limit: limits.cover) else {
                throw .absent(BookTable.title(index))
            }
            try count(UInt64(image.count))
            _ = append(.bytes, image)
        case .number:
            guard hasRoom(CBORHead.largest) else { return }
            let bits = record.load(fromByteOffset: place.start, as: UInt64.self)
            CBORHead.writeDouble(bitPattern: bits, to: end)
            written += CBORHead.largest
        case .count:
            append(.unsigned, record.load(fromByteOffset: place.start, as: UInt64.self))
        case .time:
            let time = record.load(fromByteOffset: place.start, as: Int64.self)
            let bits = UInt64(bitPattern: time)
            if time < 0 { append(.negative, ~bits) } else { append(.unsigned, bits) }
        case .flag:
            let flag = record.load(fromByteOffset: place.start, as: UInt32.self)
            guard hasRoom(1) else { return }
            memory[written] = CBORHead.byte(of: flag != 0)
            written += 1
        }
    }

    @inline(__always)
    private mutating func pack(_ view: ovl_text, _ index: Int, limit: Int) throws(ViewFault) {
        guard let text = try view.buffer(BookTable.title(index), limit: limit) else {
            throw .absent(BookTable.title(index))
        }
        try count(UInt64(text.count))
        // Validate the copy, because the original may change at the same time.
        guard let copy = append(.text, UnsafeRawBufferPointer(text)), !copy.isASCII else { return }
        let bytes = copy.assumingMemoryBound(to: UInt8.self)
        do { _ = try UTF8Span(validating: bytes.span) } catch { throw .notUTF8(BookTable.title(index)) }
    }

    private mutating func pack(_ view: ovl_texts, _ index: Int) throws(ViewFault) {
        guard let items = try view.buffer(BookTable.title(index), limit: limits.texts) else {
            throw .absent(BookTable.title(index))
        }
        try count(overhead.element * UInt64(items.count))
        append(.array, UInt64(items.count))
        for item in items { try pack(item, index, limit: limits.text) }
    }

    @inline(__always)
    private mutating func count(_ more: UInt64) throws(ViewFault) {
        let (sum, overflow) = counted.addingReportingOverflow(more)
        guard !overflow, sum <= limits.total else { throw .totalBytes(limit: limits.total) }
        counted = sum
    }

    // MARK: bytes

    /// The address after the packed bytes, to be used after ``hasRoom(_:)``.
    private var end: UnsafeMutableRawPointer {
        @inline(__always) get { memory.baseAddress.unsafelyUnwrapped + written }
    }

    /// Whether there is space for more bytes. Records the missing space.
    @inline(__always)
    private mutating func hasRoom(_ count: Int) -> Bool {
        guard missing == 0, memory.count - written >= count else {
            missing += count
            return false
        }
        return true
    }

    /// Appends the head of an item.
    @inline(__always)
    private mutating func append(_ kind: CBORHead.Kind, _ argument: UInt64) {
        guard hasRoom(CBORHead.largest) else { return }
        written += CBORHead.write(kind, argument, to: end)
    }

    /// Appends bytes after their head. Returns the copy; nil if there is not enough space.
    @inline(__always)
    private mutating func append(
        _ kind: CBORHead.Kind, _ run: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        append(kind, UInt64(run.count))
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
