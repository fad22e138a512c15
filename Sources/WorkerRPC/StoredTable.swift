import Diagnostics
import Glibc
import OverlayCalls

/// A table from the bytes of a notification, without a process on the other side. Its fields can be read, and the
/// functions that are not null show what the other side implements, but they cannot be called.
///
/// Unchecked: constant once it is decoded.
package final class StoredTable: @unchecked Sendable {
    /// The table; valid as long as this object exists.
    package let pointer: UnsafeRawPointer
    private let message: ReceivedMessage

    /// Decodes the bytes of `RPCSession.Notification.bytes`, from this process or an earlier one of the same program.
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

    /// Stands in for the other side.
    private final class NoPeer: Importer {
        func context(ofTable number: UInt64, _ plan: RecordPlan) -> UInt { 0 }
        func found(table number: UInt64, _ plan: RecordPlan) {}
    }
}
