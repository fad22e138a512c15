import Diagnostics
import CSystemShims
import Glibc
import OverlayABI
import Testing

@testable import OverlayCalls
@testable import WorkerRPC

@Suite("An answer that fits no open question ends the session")
struct HostileAnswerTests {
    /// The implementation of a table on this side. It asks question 2 while the other side's call runs.
    ///
    /// Unchecked: used by the thread of the test.
    private final class Asker: CallTarget, @unchecked Sendable {
        var rpc: RPCConnection?
        private(set) var error: WorkerRPCError?

        func invoke(
            _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
            _ result: UnsafeMutableRawPointer
        ) {
            function.store(0, result)
            do throws(WorkerRPCError) { _ = try rpc?.main.wait(for: .rowsTaken, 2) } catch {
                self.error = error
            }
        }
    }

    /// The result of a side that receives these messages while it waits for the answer of question 1, and asks
    /// question 2 in between.
    private func hear(_ messages: [(kind: MessageHeader.Kind, number: UInt64)]) throws -> WorkerRPCError? {
        var sockets: [Int32] = [-1, -1]
        let made = shim_socketpair(&sockets)
        try #require(made == 0)
        defer { close(sockets[1]) }
        let rpc = RPCConnection(main: sockets[0])
        let asker = Asker()
        asker.rpc = rpc
        let memory = SampleMemory()
        let plan = try #require(ContractPlans.shared.record("ovl_cancel_service"))
        let function = try #require(plan.functions.lazy.compactMap { $0 }.first { $0.isQuestion })
        let target = rpc.number(ofTable: makeTable(plan, asker, memory: memory), plan)
        try call(function, of: target, over: sockets[1], memory)
        for message in messages {
            var header = MessageHeader(message.kind)
            header.number = message.number
            var bytes = [UInt8](repeating: 0, count: MessageHeader.size)
            bytes.withUnsafeMutableBytes { buffer in buffer.baseAddress.map { header.write(to: $0) } }
            let sent = write(sockets[1], bytes, bytes.count)
            try #require(sent == bytes.count)
        }
        shutdown(sockets[1], Int32(SHUT_WR))
        defer { withExtendedLifetime((rpc, memory)) { asker.rpc = nil } }
        do throws(WorkerRPCError) { _ = try rpc.main.wait(for: .answer, 1) } catch {
            return asker.error ?? error
        }
        return asker.error
    }

    /// Sends the call of a function whose only argument is its context.
    private func call(
        _ function: FunctionPlan, of target: UInt64, over socket: Int32, _ memory: SampleMemory
    ) throws {
        var sample = Sample(seed: 1, memory: memory)
        let arguments = SampleArguments(function.signature, &sample) { _, _ in nil }
        let writer = MessageWriter(WorkerRPCLimits())
        try writer.encode(arguments: function, arguments.values, StandaloneCodec())
        var header = MessageHeader(
            .call, target: target, record: UInt32(function.record.index), function: UInt32(function.index))
        header.number = 1
        writer.finish(header)
        let sent = write(socket, writer.base, writer.count)
        try #require(sent == writer.count)
    }

    @Test("One answer may come early, and is taken when its question is waited for")
    func early() throws {
        #expect(try hear([(.answer, 1), (.rowsTaken, 2)]) == nil)
    }

    @Test("An answer of another kind than the question is malformed")
    func wrongKind() throws {
        let error = try hear([(.rowsTaken, 1), (.rowsTaken, 2), (.answer, 1)])
        #expect(error?.code == .malformed)
        #expect(error?.message == "An answer does not match its call.")
    }

    @Test("A second answer to a question is malformed")
    func twice() throws {
        let error = try hear([(.answer, 1), (.answer, 1), (.rowsTaken, 2)])
        #expect(error?.code == .malformed)
        #expect(error?.message == "A call is answered twice.")
    }

    @Test("An answer without a question is malformed")
    func unasked() throws {
        let error = try hear([(.answer, 9)])
        #expect(error?.message == "An answer has no matching call.")
    }
}
