import Diagnostics
import CSystemShims
import Glibc
import Platform

/// A message of the other side. It is decoded in place: the numbers that represent pointers become pointers into the
/// message.
///
/// Decoded values are valid as long as the message.
///
/// Unchecked: used by one thread at a time, and constant once it is decoded.
final class ReceivedMessage: @unchecked Sendable {
    let header: MessageHeader
    let base: UnsafeMutableRawPointer
    @exclusivity(unchecked) var cursor = 0
    private var descriptors: [Int32]
    private var nextDescriptor = 0
    private var mappings: [(UnsafeRawPointer, Int)] = []
    private var shared = 0
    private let limits: WorkerRPCLimits

    /// Takes ownership of `base`, which was allocated by `malloc`, and of the descriptors.
    init(
        _ header: MessageHeader, _ base: UnsafeMutableRawPointer, _ descriptors: [Int32],
        _ limits: WorkerRPCLimits
    ) {
        self.header = header
        self.base = base
        self.descriptors = descriptors
        self.limits = limits
    }

    deinit {
        for (address, size) in mappings { shim_unmap(address, size) }
        for descriptor in descriptors[nextDescriptor...] { close(descriptor) }
        free(base)
    }

    /// The number of bytes that have not been decoded.
    var left: Int { header.length - cursor }

    /// Takes the next `size` bytes and their padding, and returns their position.
    @inline(__always)
    func take(_ size: Int) throws(WorkerRPCError) -> Int {
        guard size >= 0, size <= left else {
            throw WorkerRPCError(.malformed, "A message is truncated.")
        }
        let place = cursor
        // The length of a message is a multiple of 8.
        cursor += (size + 7) & ~7
        return place
    }

    /// Takes the next word.
    func word() throws(WorkerRPCError) -> UInt64 {
        base.load(fromByteOffset: try take(8), as: UInt64.self)
    }

    /// All remaining bytes as a sentence, at most `limit` bytes.
    func text(limit: Int = 4096) -> String {
        let bytes = UnsafeRawBufferPointer(start: base + cursor, count: min(left, limit))
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Maps the next memory file.
    func mapShared(_ size: Int) throws(WorkerRPCError) -> UnsafeRawPointer {
        guard nextDescriptor < descriptors.count else {
            throw WorkerRPCError(.malformed, "A message lacks its shared memory.")
        }
        guard size >= 0, size <= limits.shared - shared else {
            throw WorkerRPCError(.malformed, "A message shares more than \(limits.shared) bytes.")
        }
        shared += size
        let descriptor = descriptors[nextDescriptor]
        nextDescriptor += 1
        defer { close(descriptor) }
        guard let address = shim_map_sealed(descriptor, size) else {
            throw WorkerRPCError(
                .malformed, "Shared memory cannot be used: \(systemText(errno)).")
        }
        mappings.append((address, size))
        return address
    }

    /// The most elements in one list.
    var mostElements: Int { limits.elements }
}
