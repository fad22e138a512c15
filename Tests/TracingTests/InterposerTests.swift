import OverlayCalls
import Foundation
import OverlayABI
import Synchronization
import TestSupport
import Testing

@testable import Tracing

/// The other end of a call. It stores the call, and does what the test wants.
private final class Callee: CallTarget {
    private let seen = Mutex<[(String, [TraceValue?])]>([])
    private let action: @Sendable (FunctionPlan, UnsafePointer<UnsafeMutableRawPointer?>) -> UInt64

    init(
        _ action: @escaping @Sendable (FunctionPlan, UnsafePointer<UnsafeMutableRawPointer?>) -> UInt64 = {
            _, _ in 0
        }
    ) {
        self.action = action
    }

    var calls: [(String, [TraceValue?])] { seen.withLock { $0 } }

    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        let values = values(function, arguments)
        seen.withLock { $0.append((function.fullName, values)) }
        let bits = action(function, arguments)
        if function.result == OVL_KIND_TABLE {
            result.storeBytes(of: UInt(bits), as: UInt.self)
        } else {
            function.store(bits, result)
        }
    }
}

private func values(_ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>)
    -> [TraceValue?]
{
    let space = MemorySpace()
    let sinks = UnsafeMutablePointer<UInt32>.allocate(capacity: 16)
    defer { sinks.deallocate() }
    for index in 0..<16 { sinks[index] = 7 }
    TraceEncoder(space: space, limits: .whole).arguments(function, arguments, sinks: sinks, instance: 3)
    var decoder = TraceDecoder(space.bytes(), sizes: ContractPlans.shared.records.map(\.size))
    do { return try decoder.arguments(function) } catch { return [] }
}

@Suite("The interposer passes on and records every call")
struct InterposerTests {
    private func table(_ plan: RecordPlan, _ callee: Callee) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: plan.room, alignment: 16)
        memset(memory, 0, plan.room)
        memory.storeBytes(of: UInt32(plan.size), as: UInt32.self)
        for field in TraceShapes.all[plan.index].fields {
            if field.kind == OVL_KIND_CONTEXT {
                memory.storeBytes(
                    of: TokenTable.shared.add(callee), toByteOffset: field.offset, as: UInt.self)
            } else if let function = field.function >= 0 ? plan.functions[field.function] : nil {
                memory.storeBytes(of: function.code, toByteOffset: field.offset, as: UnsafeRawPointer?.self)
            }
        }
        return memory
    }

    @Test("Every function of every service arrives as it was called, and is recorded so", arguments: 0..<5)
    func everyService(seed: Int) throws {
        let events = Mutex<[TraceEvent]>([])
        let plans = RecordedPlans()
        let recorder = TraceRecorder(limits: .whole) { record in
            let event = try? plans.event(
                Array(record.prefix(TraceFormat.recordSize)),
                Array(record.dropFirst(TraceFormat.recordSize)), isUnfinished: false)
            if let event { events.withLock { $0.append(event) } }
        }
        let interposer = Interposer([recorder])
        var sample = Sample(seed: UInt64(seed) &+ 77)
        for plan in ContractPlans.shared.records where plan.service != nil {
            // It is called only with the context of its own table, which the overlay never sees.
            let callee = Callee { _, _ in 5 }
            let original = table(plan, callee)
            defer { original.deallocate() }
            let traced = TracedTable(plan, original, interposer, instance: 9)
            defer { traced.close() }
            for function in plan.functions.compactMap({ $0 }) {
                let values = sample.arguments(function)
                let memory = ReplayMemory()
                let token = traced.pointer.load(
                    fromByteOffset: MemoryLayout<ovl_log_service>.offset(of: \.ctx) ?? 8, as: UInt.self)
                let arguments = try memory.arguments(function, values, first: token) {
                    (_, _) throws(TraceError) in
                    // A sink without a function is passed on unchanged.
                    UnsafeRawPointer(try memory.allocate(64))
                }
                let code = try #require(
                    traced.pointer.load(fromByteOffset: function.offset, as: UnsafeRawPointer?.self))
                events.withLock { $0 = [] }
                var result: UInt64 = 0
                function.call(code, arguments, &result)
                let seen = try #require(callee.calls.last)
                #expect(seen.0 == function.fullName)
                #expect(TraceDifference.first(function, expected: values, seen: seen.1) == nil)
                let recorded = events.withLock { $0 }
                #expect(recorded.count == 2, "\(function.fullName)")
                guard case .call(let written?)? = recorded.first?.content else {
                    Issue.record("\(function.fullName) was not recorded")
                    continue
                }
                #expect(TraceDifference.first(function, expected: values, seen: written) == nil)
                #expect(recorded.first?.target == 9)
                #expect(recorded.first?.isFromOverlay == true)
                if function.result != OVL_KIND_VOID { #expect(result == 5, "\(function.fullName)") }
            }
        }
    }

    @Test("A call is in the file before it is made, also while it runs")
    func ahead() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("calls.trace")
        let recorder = try TraceRecorder(path: path, host: "test")
        let interposer = Interposer([recorder])
        let plan = try #require(ContractPlans.shared.record("ovl_cancel_service"))
        let seen = Notices()
        let callee = Callee { function, _ in
            // The content of the file that another program sees at this moment.
            var last = "nothing"
            if let reader = try? TraceReader(path: path) {
                while let event = try? reader.next() { last = event.function?.displayName ?? "?" }
            }
            seen.add(last)
            return 1
        }
        let original = table(plan, callee)
        defer { original.deallocate() }
        let traced = TracedTable(plan, original, interposer, instance: 1)
        let service = traced.pointer.assumingMemoryBound(to: ovl_cancel_service.self)
        #expect(service.pointee.is_cancelled?(service.pointee.ctx) == 1)
        #expect(seen.all == ["cancel.is_cancelled"])
        traced.close()
        #expect(service.pointee.is_cancelled?(service.pointee.ctx) == 0, "a closed table leads nowhere")
        recorder.close()
    }
}
