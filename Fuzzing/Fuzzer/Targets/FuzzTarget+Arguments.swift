import CSystemShims
import FoundationEssentials
import Glibc
import OverlayABI
import TestSupport

@testable import OverlayCalls
@testable import WorkerRPC
@testable import WorkerRPCSamples

extension FuzzTarget {
    /// The arguments of a call from another process. Accepted arguments must be inside the message: every byte is
    /// read, and AddressSanitizer checks the accesses. Arguments that are written again must read as the same.
    static let arguments = FuzzTarget(
        name: "arguments", longest: 4 << 10,
        run: { data in
            guard let first = data.first else { return }
            let function = functions[Int(first) % functions.count]
            let body = [UInt8](data.dropFirst()).padded
            guard let read = text(of: function, body) else { return }
            guard let again = rewritten(function, body) else { return }
            expect(text(of: function, again) == read, "\(function.fullName) changes when it is written again")
        },
        seeds: {
            functions.indices.flatMap { index in
                [(1, .max), (2, .max), (3, 1)].compactMap { seed, threshold in
                    sample(functions[index], seed, threshold).map { Data([UInt8(index)] + $0.body) }
                }
            }
        })

    /// Every function of the contract; fewer than 256.
    static let functions: [FunctionPlan] = ContractPlans.shared.records.flatMap {
        $0.functions.compactMap { $0 }
    }

    /// The shared memory of every message that asks for it.
    static let memoryFiles: [Int32] = (1...2).map { _ in
        shim_sealed_memory([UInt8](repeating: 0x55, count: 64), 64)
    }

    /// The message for generated arguments, whose bytes from `threshold` on are in shared memory, and the number of
    /// such parts.
    static func sample(
        _ function: FunctionPlan, _ seed: UInt64, _ threshold: Int = .max
    ) -> (body: [UInt8], shared: Int)? {
        var sample = Sample(seed: seed, memory: SampleMemory())
        sample.largest = 24
        let sink = sample.sink()
        let arguments = SampleArguments(function.signature, &sample, first: 5) { _, _ in sink }
        return encode(function, UnsafePointer(arguments.values), threshold)
    }

    private static func encode(
        _ function: FunctionPlan, _ values: UnsafePointer<UnsafeMutableRawPointer?>, _ threshold: Int
    ) -> (body: [UInt8], shared: Int)? {
        attempt { () throws(WorkerRPCError) in
            let writer = MessageWriter(WorkerRPCLimits(sharedThreshold: threshold))
            try writer.encode(arguments: function, values, StandaloneCodec())
            let body = UnsafeRawBufferPointer(
                start: writer.base + MessageHeader.size, count: writer.count - MessageHeader.size)
            return ([UInt8](body), writer.descriptors.count)
        }
    }

    /// Reads arguments and passes them to `use`; nil if they are refused.
    private static func decode<Value>(
        _ function: FunctionPlan, _ body: [UInt8], _ use: (UnsafePointer<UnsafeMutableRawPointer?>) -> Value?
    ) -> Value? {
        guard let memory = malloc(max(body.count, 16)) else { return nil }
        memory.copyMemory(from: body, byteCount: body.count)
        var header = MessageHeader(.call)
        header.length = body.count
        let message = ReceivedMessage(header, memory, memoryFiles.map { dup($0) }, WorkerRPCLimits())
        return withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 16) { values in
            guard let values = values.baseAddress else { return nil }
            do throws(WorkerRPCError) {
                try message.decode(arguments: function, context: 0, into: values, StandaloneCodec())
            } catch {
                return nil
            }
            return withExtendedLifetime(message) { use(values) }
        }
    }

    private static func text(of function: FunctionPlan, _ body: [UInt8]) -> String? {
        decode(function, body) { describe(function.signature, $0) }
    }

    private static func rewritten(_ function: FunctionPlan, _ body: [UInt8]) -> [UInt8]? {
        // Tables and sinks are not connected here, so they cannot be written again.
        guard function.arguments.allSatisfy({ $0.kind != OVL_KIND_SINK && $0.kind != OVL_KIND_RECORD }) else {
            return nil
        }
        return decode(function, body) { encode(function, $0, .max)?.body }
    }
}

extension [UInt8] {
    /// Messages are multiples of 8 bytes.
    fileprivate var padded: [UInt8] { self + [UInt8](repeating: 0, count: -count & 7) }
}
