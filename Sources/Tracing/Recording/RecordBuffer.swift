import Glibc

/// A buffer to which records are appended.
///
/// Its recorder ensures that one thread uses it at a time, so exclusivity is not checked.
class RecordBuffer: @unchecked Sendable {
    /// The start of the memory.
    @exclusivity(unchecked) final var base: UnsafeMutableRawPointer
    /// The number of bytes in use.
    @exclusivity(unchecked) final var count = 0
    /// The number of bytes that may be used.
    @exclusivity(unchecked) final var capacity: Int
    /// Whether the buffer is permanently full.
    @exclusivity(unchecked) final var isFull = false

    init(base: UnsafeMutableRawPointer, capacity: Int) {
        self.base = base
        self.capacity = capacity
    }

    /// Enlarges the buffer by a number of bytes; returns false if that is impossible.
    func grow(_ bytes: Int) -> Bool { false }

    /// Whether a number of bytes fits, after enlarging the buffer if necessary.
    @inline(__always)
    final func has(_ bytes: Int) -> Bool {
        if bytes <= capacity - count { return true }
        return makeRoom(bytes)
    }

    @inline(never)
    private final func makeRoom(_ bytes: Int) -> Bool {
        if !isFull, grow(bytes), bytes <= capacity - count { return true }
        isFull = true
        return false
    }
}

/// A buffer in the program's own memory.
final class MemorySpace: RecordBuffer, @unchecked Sendable {
    // Unchecked: as its base class.

    init() {
        super.init(base: .allocate(byteCount: 4096, alignment: 16), capacity: 4096)
    }

    deinit { base.deallocate() }

    override func grow(_ bytes: Int) -> Bool {
        let (needed, overflow) = count.addingReportingOverflow(bytes)
        guard !overflow, needed <= 1 << 34 else { return false }
        let larger = max(needed, capacity * 2)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        memory.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = memory
        capacity = larger
        return true
    }

    /// The bytes written since `start`.
    func bytes(from start: Int = 0) -> [UInt8] {
        [UInt8](UnsafeRawBufferPointer(start: base + start, count: count - start))
    }
}
