import Glibc

/// A buffer that records are appended to.
///
/// Its recorder makes sure that one thread uses it at a time, so the exclusivity of each access is not checked.
class RecordBuffer: @unchecked Sendable {
    /// Where the memory begins.
    @exclusivity(unchecked) final var base: UnsafeMutableRawPointer
    /// Bytes that are used.
    @exclusivity(unchecked) final var count = 0
    /// Bytes that may be used.
    @exclusivity(unchecked) final var capacity: Int
    /// Whether nothing more fits, for ever.
    @exclusivity(unchecked) final var isFull = false

    init(base: UnsafeMutableRawPointer, capacity: Int) {
        self.base = base
        self.capacity = capacity
    }

    /// Makes room for so many bytes more than there are; false if that is impossible.
    func grow(_ bytes: Int) -> Bool { false }

    /// Whether so many bytes fit, after making room for them.
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

/// Memory of the program.
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

    /// What has been written since `start`.
    func bytes(from start: Int = 0) -> [UInt8] {
        [UInt8](UnsafeRawBufferPointer(start: base + start, count: count - start))
    }
}
