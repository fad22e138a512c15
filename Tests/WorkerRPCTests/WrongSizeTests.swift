import Diagnostics
import OverlayABI
import TestSupport
import Testing

@testable import OverlayCalls
@testable import WorkerRPC

@Suite("Wrong sizes are reported with the record, the field, and what to do")
struct WrongSizeTests {
    private let memory = SampleMemory()

    /// The error of passing a sink of the caller to `list` of the transport; nil if there is none.
    ///
    /// - Parameter onlyErrors: whether only its error sink has these values.
    private func failure(size: UInt32, put: UInt, onlyErrors: Bool = false) throws -> WorkerRPCError? {
        var sample = Sample(seed: 1, memory: memory)
        let plan = try #require(ContractPlans.shared.record("ovl_transport_service"))
        let list = try #require(plan.function("list"))
        let arguments = SampleArguments(list.signature, &sample) { [memory] record, _ in
            let sink = memory.allocate(Int(record.size))
            let isWrong = !onlyErrors || String(cString: record.name) == "ovl_error_sink"
            sink.storeBytes(of: isWrong ? size : 24, as: UInt32.self)
            sink.storeBytes(of: isWrong ? put : 8, toByteOffset: 16, as: UInt.self)
            return sink
        }
        let writer = MessageWriter(WorkerRPCLimits())
        do throws(WorkerRPCError) {
            try writer.encode(arguments: list, arguments.values, StandaloneCodec())
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A sink whose struct_size does not cover its function cannot be passed",
        arguments: [0, 8, 23] as [UInt32])
    func smallSink(size: UInt32) throws {
        let error = try failure(size: size, put: 8)
        #expect(error?.code == .structSize)
        #expect(
            error?.message == "The struct_size \(size) of an ovl_file_sink is too small: it must be "
                + "sizeof(ovl_file_sink).")
    }

    @Test("A sink without its function is reported, and a complete one is passed")
    func otherSinks() throws {
        let error = try failure(size: 24, put: 0)
        #expect(error?.code == .breach)
        #expect(error?.message.contains("put of an ovl_file_sink is null") == true)
        #expect(try failure(size: 24, put: 8) == nil)
        #expect(try failure(size: 32, put: 8) == nil)
    }

    @Test(
        "A sink for an error that the caller does not want need not be complete",
        arguments: [0, 24] as [UInt32])
    func unusedErrorSink(size: UInt32) throws {
        #expect(try failure(size: size, put: 0, onlyErrors: true) == nil)
    }

    /// Encodes settings with missing abilities of these sizes.
    private func encode(_ sizes: [Int], stride: Int) throws {
        let items = memory.allocate(max(stride, MemoryLayout<ovl_missing>.size) * sizes.count)
        for (index, size) in sizes.enumerated() {
            items.storeBytes(of: UInt32(size), toByteOffset: index * stride, as: UInt32.self)
        }
        let plan = try #require(ContractPlans.shared.record("ovl_settings"))
        let list = try #require(MemoryLayout<ovl_settings>.offset(of: \.missing))
        let settings = memory.allocate(plan.size)
        settings.storeBytes(of: UInt32(plan.size), as: UInt32.self)
        settings.storeBytes(of: UInt(bitPattern: items), toByteOffset: list, as: UInt.self)
        settings.storeBytes(of: UInt64(sizes.count), toByteOffset: list + 8, as: UInt64.self)
        settings.storeBytes(of: UInt64(stride), toByteOffset: list + 16, as: UInt64.self)
        let writer = MessageWriter(WorkerRPCLimits())
        let place = try writer.reserve(plan)
        try writer.encode(record: plan, from: settings, at: place, available: .max, nil)
    }

    @Test("A stride that is not a multiple of 8 cannot be passed", arguments: [0, 4, 60])
    func strides(stride: Int) throws {
        let error = #expect(throws: WorkerRPCError.self) {
            try encode([MemoryLayout<ovl_missing>.size], stride: stride)
        }
        #expect(error?.code == .stride)
        #expect(
            error?.message == "The stride \(stride) of ovl_settings.missing is wrong: it must be "
                + "sizeof(ovl_missing), a multiple of 8.")
    }

    @Test("A record that is larger than the stride is reported, and records that fit are passed")
    func largeRecords() throws {
        let size = MemoryLayout<ovl_missing>.size
        let first = #expect(throws: WorkerRPCError.self) { try encode([size], stride: 48) }
        #expect(first?.code == .stride)
        #expect(
            first?.message == "The stride 48 of ovl_settings.missing is smaller than the struct_size 56 of "
                + "its first record: both must be sizeof(ovl_missing).")
        let error = #expect(throws: WorkerRPCError.self) { try encode([size, 4096], stride: size) }
        #expect(error?.code == .structSize)
        #expect(error?.message.contains("The struct_size 4096 of an ovl_missing") == true)
        #expect(throws: Never.self) { try encode([size, size], stride: size + 8) }
    }
}
