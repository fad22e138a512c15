import Diagnostics
import CSystemShims
import Glibc
import OverlayCalls
import Platform

/// Builds the bytes of a message: its header, then values, each at a multiple of 8.
///
/// Use from one thread at a time; this is why exclusivity is not checked.
final class MessageWriter {
    @exclusivity(unchecked) private(set) var base: UnsafeMutableRawPointer
    @exclusivity(unchecked) private(set) var count = MessageHeader.size
    @exclusivity(unchecked) private var capacity: Int
    /// Memory files to send with the message.
    @exclusivity(unchecked) private(set) var descriptors: [Int32] = []
    @exclusivity(unchecked) private var shared = 0
    let limits: WorkerRPCLimits

    private static let usual = 4096
    /// The memory for small messages, which is kept.
    private let small: UnsafeMutableRawPointer
    /// The memory for a larger message, from `malloc`; nil if `small` is used.
    @exclusivity(unchecked) private var large: UnsafeMutableRawPointer?

    init(_ limits: WorkerRPCLimits) {
        self.limits = limits
        capacity = Self.usual
        small = UnsafeMutableRawPointer.allocate(byteCount: Self.usual, alignment: 16)
        base = small
    }

    deinit {
        closeDescriptors()
        small.deallocate()
        free(large)
    }

    /// Begins a new message.
    func reset() {
        closeDescriptors()
        count = MessageHeader.size
        shared = 0
        guard capacity > 1 << 20 else { return }
        // Memory for one large message is not kept for small ones.
        free(large)
        (large, base, capacity) = (nil, small, Self.usual)
    }

    private func closeDescriptors() {
        if descriptors.isEmpty { return }
        for descriptor in descriptors { close(descriptor) }
        descriptors.removeAll()
    }

    /// Writes the header. Call this after all other parts have been written.
    func finish(_ header: MessageHeader) {
        var header = header
        header.length = count - MessageHeader.size
        header.descriptors = descriptors.count
        header.write(to: base)
    }

    /// Removes everything written after `mark`, an earlier value of `count`.
    func rewind(to mark: Int, descriptors kept: Int) {
        count = mark
        while descriptors.count > kept { close(descriptors.removeLast()) }
    }

    /// Reserves `size` uninitialized bytes and returns their position.
    @inline(__always)
    func reserve(_ size: Int) throws(WorkerRPCError) -> Int {
        let place = count
        let (end, overflow) = place.addingReportingOverflow((size &+ 7) & ~7)
        if overflow || size < 0 || end > capacity { try grow(size) }
        count = place + ((size + 7) & ~7)
        return place
    }

    @inline(never)
    private func grow(_ size: Int) throws(WorkerRPCError) {
        guard size >= 0, size <= limits.message, count + size + 8 <= limits.message else {
            throw WorkerRPCError(.tooLarge, "A message is larger than \(limits.message) bytes.")
        }
        let needed = count + size + 8
        let next = min(max(needed, capacity * 2), limits.message)
        // The kernel usually moves the pages of a large message, so that it is not in memory twice.
        guard let memory = realloc(large, next) else {
            throw WorkerRPCError(.tooLarge, "Not enough memory for a message of \(next) bytes.")
        }
        if large == nil { memcpy(memory, small, count) }
        (large, base, capacity) = (memory, memory, next)
    }

    /// Reserves space for `count` records.
    func reserve(_ plan: RecordPlan, count: Int = 1) throws(WorkerRPCError) -> Int {
        let place = try reserve(count * plan.room)
        // Encoding fills the records, but not their padding.
        if plan.room != plan.size { memset(base + place, 0, count * plan.room) }
        return place
    }

    /// Appends a word.
    func append(_ word: UInt64) throws(WorkerRPCError) {
        let place = try reserve(8)
        base.storeBytes(of: word, toByteOffset: place, as: UInt64.self)
    }

    /// Appends bytes and zero padding.
    @inline(__always)
    func append(_ bytes: UnsafeRawPointer, _ size: Int) throws(WorkerRPCError) {
        let place = try reserve(size)
        guard size > 0 else { return }
        (base + place + ((size - 1) & ~7)).storeBytes(of: 0, as: UInt64.self)
        memcpy(base + place, bytes, size)
    }

    /// Appends bytes.
    func append(_ bytes: [UInt8]) throws(WorkerRPCError) {
        let place = try reserve(bytes.count)
        guard !bytes.isEmpty else { return }
        (base + place + ((bytes.count - 1) & ~7)).storeBytes(of: 0, as: UInt64.self)
        (base + place).copyMemory(from: bytes, byteCount: bytes.count)
    }

    /// Sends bytes as a memory file.
    func share(_ bytes: UnsafeRawPointer, _ size: Int) throws(WorkerRPCError) {
        guard size >= 0, size <= limits.shared - shared else {
            throw WorkerRPCError(
                .tooLarge, "A message carries more than \(limits.shared) bytes of shared memory.")
        }
        shared += size
        let descriptor = shim_sealed_memory(bytes, size)
        guard descriptor >= 0 else {
            throw WorkerRPCError(.system, "Cannot create shared memory: \(systemText(errno)).")
        }
        descriptors.append(descriptor)
    }

    /// Whether a value of this size should be sent as a memory file.
    @inline(__always)
    func isShared(_ size: Int) -> Bool {
        size >= limits.sharedThreshold && descriptors.count < Int(SHIM_MOST_DESCRIPTORS)
    }
}
