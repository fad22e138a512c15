import Diagnostics
import CSystemShims
import Glibc
import Platform

/// Sends and receives whole messages over a connected socket.
///
/// Unchecked: one thread at a time sends and one receives, which the session ensures.
final class SocketChannel: @unchecked Sendable {
    let descriptor: Int32
    let limits: WorkerRPCLimits
    // Received bytes that have not been taken: one system call may receive several small messages.
    @exclusivity(unchecked) private var start = 0
    @exclusivity(unchecked) private var end = 0
    private let buffer: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var descriptors: [Int32] = []

    private static let bufferSize = 128 << 10

    /// Takes ownership of a connected stream socket.
    init(_ descriptor: Int32, _ limits: WorkerRPCLimits) {
        self.descriptor = descriptor
        self.limits = limits
        buffer = UnsafeMutableRawPointer.allocate(byteCount: Self.bufferSize, alignment: 16)
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
        close(descriptor)
        buffer.deallocate()
    }

    /// Ends the connection, so that sending and receiving fail on both sides.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends one or two finished messages. Blocks while the other side does not receive.
    func send(_ first: MessageWriter, _ second: MessageWriter? = nil) throws(WorkerRPCError) {
        // The descriptors of each message must be sent with its own bytes.
        if let second, !second.descriptors.isEmpty || !first.descriptors.isEmpty {
            try send(first)
            try send(second)
            return
        }
        var sent = 0
        let (one, all) = (first.count, first.count + (second?.count ?? 0))
        while sent < all {
            let taken: Int64
            let descriptors = sent == 0 ? first.descriptors : []
            if sent < one {
                taken = shim_send(
                    descriptor, first.base + sent, one - sent, second?.base, second?.count ?? 0, descriptors,
                    Int32(descriptors.count))
            } else {
                guard let second else { return }
                taken = shim_send(
                    descriptor, second.base + (sent - one), all - sent, nil, 0, descriptors, 0)
            }
            guard taken >= 0 else { throw ended(errno) }
            sent += Int(taken)
        }
    }

    /// Receives the next message. Blocks until it arrives.
    func receive() throws(WorkerRPCError) -> ReceivedMessage {
        while end - start < MessageHeader.size { try fill() }
        let header = try MessageHeader(buffer + start, limits)
        start += MessageHeader.size
        guard header.descriptors <= Int(SHIM_MOST_DESCRIPTORS) else {
            throw WorkerRPCError(.malformed, "A message contains \(header.descriptors) memory files.")
        }
        guard let body = malloc(max(header.length, 16)) else {
            throw WorkerRPCError(.system, "Not enough memory for a message of \(header.length) bytes.")
        }
        let here = min(header.length, end - start)
        memcpy(body, buffer + start, here)
        start += here
        do throws(WorkerRPCError) {
            var count = here
            while count < header.length {
                count += try receive(into: body + count, header.length - count)
            }
            guard header.descriptors <= descriptors.count else {
                throw WorkerRPCError(.malformed, "A message lacks its shared memory.")
            }
        } catch {
            free(body)
            throw error
        }
        let own = header.descriptors == 0 ? [] : Array(descriptors[..<header.descriptors])
        if header.descriptors > 0 { descriptors.removeFirst(header.descriptors) }
        return ReceivedMessage(header, body, own, limits)
    }

    private func fill() throws(WorkerRPCError) {
        if start == end {
            (start, end) = (0, 0)
        } else if start > 0 {
            memmove(buffer, buffer + start, end - start)
            (start, end) = (0, end - start)
        }
        end += try receive(into: buffer + end, Self.bufferSize - end)
    }

    private func receive(into memory: UnsafeMutableRawPointer, _ size: Int) throws(WorkerRPCError) -> Int {
        var count = SHIM_MOST_DESCRIPTORS
        return try withUnsafeTemporaryAllocation(of: Int32.self, capacity: Int(SHIM_MOST_DESCRIPTORS)) {
            (arrived) throws(WorkerRPCError) -> Int in
            let received = shim_receive(descriptor, memory, size, arrived.baseAddress, &count)
            guard received >= 0 else { throw ended(errno) }
            for index in 0..<Int(count) { descriptors.append(arrived[index]) }
            guard descriptors.count <= 4 * Int(SHIM_MOST_DESCRIPTORS) else {
                throw WorkerRPCError(.malformed, "Memory files arrived without a message.")
            }
            guard received > 0 else { throw WorkerRPCError(.closed, "The other side has ended.") }
            return Int(received)
        }
    }

    private func ended(_ code: Int32) -> WorkerRPCError {
        code == EPIPE || code == ECONNRESET
            ? WorkerRPCError(.closed, "The other side has ended.")
            : WorkerRPCError(.system, "The connection failed: \(systemText(code)).", native: .posix(code))
    }
}
