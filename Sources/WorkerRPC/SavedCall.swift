import Glibc
import OverlayABI
import OverlayCalls

/// A call with its arguments, to be made again later. What its sinks get is dropped.
///
/// Unchecked: constant, and a call uses a copy.
package final class SavedCall: @unchecked Sendable {
    /// What is called.
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

    /// Hands the arguments to `body`: the address of each, valid until it returns.
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
                // What this side has written it can read.
                return
            }
            try body(start)
        }
        withExtendedLifetime(message) {}
    }

    /// No value travels as shared memory, because nothing travels.
    private static let limits = WorkerRPCLimits(sharedThreshold: .max)

    /// A sink that takes everything.
    private final class Drain: CallTarget {
        func invoke(
            _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
            _ result: UnsafeMutableRawPointer
        ) { function.store(UInt64(OVL_OK), result) }
    }

    /// No other side.
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
