import CSystemShims
import Foundation
import OverlayABI
import TestSupport
import Testing

@testable import OverlayCalls
@testable import WorkerRPC

@Suite("A hostile message ends in an error and never in a trap")
struct HostileMessageTests {
    /// The message of a call with generated arguments.
    private func message(_ function: FunctionPlan, _ seed: UInt64) throws -> [UInt8] {
        var sample = Sample(seed: seed, memory: SampleMemory())
        sample.largest = 40
        let sink = sample.sink()
        let arguments = SampleArguments(function.signature, &sample, first: 5) { _, _ in sink }
        let writer = MessageWriter(WorkerRPCLimits())
        try writer.encode(arguments: function, arguments.values, StandaloneCodec())
        writer.finish(MessageHeader(.call))
        return [UInt8](UnsafeRawBufferPointer(start: writer.base, count: writer.count))
    }

    /// The content of a message's body, after reading all of it; nil if it was refused.
    ///
    /// - Parameter surroundings: the byte that fills the memory behind it.
    private func content(
        _ function: FunctionPlan, _ body: ArraySlice<UInt8>, surroundings: UInt8 = 0
    ) -> String? {
        guard let memory = malloc(body.count + 4096) else { return nil }
        memset(memory, Int32(surroundings), body.count + 4096)
        body.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { memcpy(memory, start, bytes.count) }
        }
        var header = MessageHeader(.call)
        header.length = body.count
        let received = ReceivedMessage(header, memory, [], WorkerRPCLimits())
        return withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 16) { values in
            guard let values = values.baseAddress else { return nil }
            do throws(WorkerRPCError) {
                try received.decode(arguments: function, context: 0, into: values, StandaloneCodec())
            } catch {
                return nil
            }
            return withExtendedLifetime(received) { describe(function.signature, values) }
        }
    }

    /// Whether the body of a message was accepted.
    private func decode(_ function: FunctionPlan, _ body: ArraySlice<UInt8>) -> Bool {
        content(function, body) != nil
    }

    @Test(
        "A complete message is accepted, and one that ends too early is refused",
        arguments: SampleFunction.all)
    func truncated(_ function: SampleFunction) throws {
        for seed in UInt64(1)...4 {
            let bytes = try message(function.plan, seed)
            let body = bytes[MessageHeader.size...]
            #expect(body.isEmpty || decode(function.plan, body))
            for length in stride(from: 0, to: body.count, by: 8) {
                #expect(!decode(function.plan, body.prefix(length)), "\(length) of \(body.count)")
            }
        }
    }

    @Test("A message with flipped bits never leads outside its memory", arguments: SampleFunction.all)
    func flipped(_ function: SampleFunction) throws {
        var random = SeededGenerator(seed: 11)
        var undecided = 0
        for seed in UInt64(1)...6 {
            let bytes = try message(function.plan, seed)
            guard bytes.count > MessageHeader.size else { continue }
            for _ in 0..<60 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: MessageHeader.size..<bytes.count, using: &random)
                    changed[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                }
                let body = changed[MessageHeader.size...]
                if decode(function.plan, body) != decode(function.plan, body) { undecided += 1 }
            }
        }
        // Many changes only change a number. All bytes that are read belong to the message, so the result is always
        // the same.
        #expect(undecided == 0)
    }

    @Test(
        "A message with numbers at their limits never leads outside its memory", arguments: SampleFunction.all
    )
    func extremes(_ function: SampleFunction) throws {
        let bytes = try message(function.plan, 3)
        let whole = try #require(content(function.plan, bytes[MessageHeader.size...]))
        var refused = 0
        for place in stride(from: MessageHeader.size, to: bytes.count, by: 8) {
            for word in [UInt64.max, UInt64(Int64.max), 1 << 63, 1 << 32, UInt64(UInt32.max), 2, 3, 0] {
                var changed = bytes
                withUnsafeBytes(of: word) { changed.replaceSubrange(place..<place + 8, with: $0) }
                let body = changed[MessageHeader.size...]
                let here = content(function.plan, body, surroundings: 0x00)
                let there = content(function.plan, body, surroundings: 0xA5)
                // The memory behind the message differs between the two.
                #expect(here == there, "\(word) at \(place)")
                if here == nil { refused += 1 }
            }
        }
        // The length of a text or of bytes is among the numbers, and none of these fits.
        if whole.contains(" bytes ") { #expect(refused > 0) }
    }

    @Test("Shared memory of a size that its file or the limit does not allow is refused")
    func sharedSizes() throws {
        let files = (0..<4).map { _ in shim_sealed_memory(Array("01234567".utf8), 8) }
        let memory = try #require(malloc(16))
        let message = ReceivedMessage(MessageHeader(.call), memory, files, WorkerRPCLimits(shared: 20))
        #expect(try message.mapShared(8).load(as: UInt8.self) == UInt8(ascii: "0"))
        for size in [Int.max, 13, 9, 0] {
            #expect(throws: WorkerRPCError.self) { try message.mapShared(size) }
        }
    }

    @Test("A header with a wrong mark, kind or length is refused")
    func headers() throws {
        var bytes = [UInt8](repeating: 0, count: MessageHeader.size)
        func check(_ change: (inout [UInt8]) -> Void) -> Bool {
            var changed = bytes
            change(&changed)
            return changed.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return false }
                return (try? MessageHeader(start, WorkerRPCLimits(message: 4096))) != nil
            }
        }
        bytes.withUnsafeMutableBytes { bytes in
            var header = MessageHeader(.call)
            header.length = 4096
            if let start = bytes.baseAddress { header.write(to: start) }
        }
        #expect(check { _ in })
        #expect(!check { $0[0] ^= 1 })
        #expect(!check { $0[4] = 99 })
        #expect(!check { $0[8] = 1 })
        #expect(!check { $0[10] = 1 })
        #expect(!check { $0[15] = 0x80 })
    }
}
