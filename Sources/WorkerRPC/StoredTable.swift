import Glibc
import OverlayCalls

/// A table from the bytes of a notification, without a process on the other side: its fields can be read. Which of its
/// functions are not null says what the other side implements; they cannot be called.
///
/// Unchecked: constant once it has been decoded.
package final class StoredTable: @unchecked Sendable {
    /// The table; valid as long as this object.
    package let pointer: UnsafeRawPointer
    private let message: ReceivedMessage

    /// Takes bytes that `RPCSession.Notification.bytes` gave, here or in an earlier process of the same program.
    package init(_ bytes: [UInt8], _ plan: RecordPlan) throws(WorkerRPCError) {
        guard bytes.count & 7 == 0, let memory = malloc(max(bytes.count, 16)) else {
            throw WorkerRPCError(.malformed, "A stored table has \(bytes.count) bytes.")
        }
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        var header = MessageHeader(.notification)
        header.length = bytes.count
        message = ReceivedMessage(header, memory, [], WorkerRPCLimits())
        let number = try message.word()
        guard number >= PointerTag.firstTable else {
            throw WorkerRPCError(.malformed, "A table has no number.")
        }
        let room = try message.take(plan.room)
        pointer = UnsafeRawPointer(memory + room)
        try message.decode(record: plan, at: room, table: number, NoPeer())
    }

    /// No other side to call.
    private final class NoPeer: Importer {
        func context(ofTable number: UInt64, _ plan: RecordPlan) -> UInt { 0 }
        func found(table number: UInt64, _ plan: RecordPlan) {}
    }
}
