import Diagnostics
import Glibc
import OverlayABI
import OverlayCalls

/// A call with its arguments, to be repeated later. Anything put into its sinks is discarded.
///
/// Unchecked: constant, and each call uses a copy.
package final class SavedCall: @unchecked Sendable {
    /// The function to call.
    package let function: FunctionPlan
    private let bytes: [UInt8]

    /// Copies the arguments of a call.
    package init(_ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>)
        throws(WorkerRPCError)
    {
        self.function = function
        let writer = MessageWriter(Self.limits)
        try writer.encode(arguments: function, arguments, NoPeer())
        bytes = [UInt8](
            UnsafeRawBufferPointer(
                start: writer.base + MessageHeader.size, count: writer.count - MessageHeader.size))
    }

    /// Passes the arguments to `body`: the address of each, valid until it returns.
    package func perform<Failure: Error>(
        _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) throws(Failure) -> Void
    ) throws(Failure) {
        guard let memory = malloc(max(bytes.count, 16)) else { return }
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        var header = MessageHeader(.call)
        header.length = bytes.count
        let message = ReceivedMessage(header, memory, [], Self.limits)
        let drain = TokenTable.shared.add(Drain())
        defer { TokenTable.shared.remove(drain) }
        try withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 16) {
            (values) throws(Failure) in
            guard let start = values.baseAddress else { return }
            do throws(WorkerRPCError) {
                try message.decode(arguments: function, context: 0, into: start, NoPeer(drain: drain))
            } catch {
                // This side can read what it has written.
                return
            }
            try body(start)
        }
        withExtendedLifetime(message) {}
    }

    /// Shared memory is not used, because nothing is sent.
    private static let limits = WorkerRPCLimits(sharedThreshold: .max)

    /// A sink that accepts and discards everything.
    private final class Drain: CallTarget {
        func invoke(
            _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
            _ result: UnsafeMutableRawPointer
        ) { function.store(UInt64(OVL_OK), result) }
    }

    /// Stands in for the other side.
    private final class NoPeer: ArgumentExporter, ArgumentImporter {
        private let drain: UInt

        init(drain: UInt = 0) { self.drain = drain }

        func export(table: UnsafeRawPointer, _ plan: RecordPlan) throws(WorkerRPCError) -> UInt64 {
            throw WorkerRPCError(.breach, "A call with tables cannot be made again.")
        }
        func export(sink: UnsafePointer<UInt8>, _ plan: RecordPlan) -> UInt64 { PointerTag.firstTable }
        func number(ofInstance pointer: UInt) -> UInt64 { UInt64(pointer) }

        func context(ofTable number: UInt64, _ plan: RecordPlan) -> UInt { 0 }
        func found(table number: UInt64, _ plan: RecordPlan) {}
        func context(ofSink number: UInt64, _ plan: RecordPlan) -> UInt { drain }
        func instance(_ number: UInt64) -> UInt? { UInt(number) }
        func keep(_ message: ReceivedMessage) {}
    }
}
