import FoundationEssentials
import Glibc
import OverlayABI
import TestSupport

@testable import OverlayCalls
@testable import WorkerRPCSamples
@testable import Tracing

extension FuzzTarget {
    /// A recording from another person: it is shown, and an overlay in this process runs against it and reads every
    /// byte.
    static let recording = FuzzTarget(
        name: "recording", longest: 64 << 10,
        run: { data in
            guard let path = ScratchFile.path(holding: data) else { return }
            show(path)
            replay(path)
        },
        seeds: { try FuzzedOverlay.methodNames.compactMap { try FuzzedOverlay.record($0) } })

    private static func show(_ path: String) {
        guard let reader = attempt({ () throws(TraceError) in try TraceReader(path: path) }) else { return }
        var (listing, timeline) = (TraceListing(), TraceChrome())
        _ = TraceJSON.header(reader).text()
        while let event = attempt({ () throws(TraceError) in try reader.next() }) ?? nil {
            _ = listing.lines(event)
            _ = timeline.events(event).map { $0.text() }
            _ = TraceJSON.event(event).text()
        }
        _ = listing.rest()
        _ = timeline.rest()
    }

    private static func replay(_ path: String) {
        guard let reader = attempt({ () throws(TraceError) in try TraceReader(path: path) }) else { return }
        let recording = Recording(reader)
        do throws(TraceError) {
            let report = try Replayer(recording, overlay: FuzzedOverlay.overlay, id: FuzzedOverlay.id).run()
            expect(
                recording.problem == nil || report.result != "same",
                "a recording with damage is the same as a replay")
        } catch {
            expect(!error.message.isEmpty, "an error says nothing")
        }
    }
}

/// An overlay whose methods call every function of one service with generated arguments, and use each sink.
private enum FuzzedOverlay {
    static let id = "fuzzed"
    // Unsafe: made and used by the fuzzer's one thread.
    nonisolated(unsafe) private static let memory = SampleMemory()
    static let overlay = LinkedOverlay(
        OverlayTables(
            table("ovl_entry").assumingMemoryBound(to: ovl_entry.self).pointee,
            table("ovl_methods").assumingMemoryBound(to: ovl_methods.self).pointee))
    /// The services that the host has given, with their plans.
    nonisolated(unsafe) private static var services: [(plan: RecordPlan, table: UnsafeRawPointer)] = []

    static let methodNames: [String] = functions("ovl_methods").map(\.name)

    private static func functions(_ record: String) -> [FunctionPlan] {
        ContractPlans.shared.record(record)?.functions.compactMap { $0 } ?? []
    }

    private static func table(_ name: String) -> UnsafeMutableRawPointer {
        guard let plan = ContractPlans.shared.record(name) else { return memory.allocate(4096) }
        return makeTable(plan, Body(), memory: memory)
    }

    /// The implementation of the overlay's functions.
    private final class Body: CallTarget {
        func invoke(
            _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
            _ result: UnsafeMutableRawPointer
        ) {
            function.store(0, result)
            _ = describe(function.signature, arguments)
            if function.name == "create" { return create(arguments) }
            guard function.name != "destroy", !services.isEmpty else { return }
            FuzzedHost.putIntoSinks(of: function, arguments)
            let service = services[function.index % services.count]
            for called in service.plan.functions.compactMap({ $0 }) { call(called, of: service.table) }
        }
    }

    private static func create(_ arguments: UnsafePointer<UnsafeMutableRawPointer?>) {
        services = []
        arguments[1]?.load(as: UnsafeMutableRawPointer?.self)?.storeBytes(of: 0x40, as: UInt.self)
        guard let host = arguments[0]?.load(as: UnsafePointer<ovl_host>?.self),
            let service = host.pointee.get_service
        else { return }
        for plan in ContractPlans.shared.records {
            guard var id = plan.service else { continue }
            id.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    var text = ovl_text(data: bytes.baseAddress, size: UInt64(bytes.count))
                    if let table = service(host.pointee.ctx, &text, 0) { services.append((plan, table)) }
                }
            }
        }
    }

    private static func call(_ function: FunctionPlan, of table: UnsafeRawPointer) {
        let size = Int(table.load(as: UInt32.self))
        guard function.offset + 8 <= size,
            let code = table.load(fromByteOffset: function.offset, as: UnsafeRawPointer?.self)
        else { return }
        var sample = Sample(seed: 7, memory: SampleMemory())
        sample.largest = 8
        let context = table.load(fromByteOffset: 8, as: UInt.self)
        let values = SampleArguments(function.signature, &sample, first: context) { record, _ in
            FuzzedHost.sinks[String(cString: record.name)]
        }
        var result: UInt64 = 0
        function.call(code, values.values, &result)
        // Uses a table: it must point to valid memory.
        if function.result == OVL_KIND_TABLE, let table = UnsafeRawPointer(bitPattern: UInt(result)) {
            expect(table.load(as: UInt32.self) > 0, "a table has no size")
        }
    }

    /// A recording of `create`, a method, and `destroy`.
    static func record(_ method: String) throws -> Data? {
        let path =
            FileManager.default.temporaryDirectory.path(percentEncoded: false) + "/fuzzer-\(getpid()).trace"
        defer { unlink(path) }
        let recorder = try TraceRecorder(path: path, host: "fuzzer", limits: .whole)
        let overlay = TraceRecorder.Overlay(
            number: 0, id: id, name: id, version: "1.0.0", file: "", isolation: "", minor: 0)
        let traced = TracedOverlay(FuzzedOverlay.overlay, overlay, Interposer([recorder]))
        var instance: (any OverlayTarget)?
        for function in functions("ovl_entry") + functions("ovl_methods")
        where function.name == "create" || function.name == method {
            var sample = Sample(seed: 11, memory: SampleMemory())
            sample.largest = 8
            let arguments = SampleArguments(function.signature, &sample, first: 0) { record, _ in
                FuzzedHost.sinks[String(cString: record.name)]
            }
            if function.name == "create" {
                let host = FuzzedHost.tables.first { $0.plan.name == "ovl_host" }?.table
                arguments.values[0]?.storeBytes(of: host, as: UnsafeMutableRawPointer?.self)
            }
            var result: UInt64 = 0
            guard traced.implements(function) else { return nil }
            if let instance {
                try instance.call(function, arguments.values, &result)
            } else {
                instance = try traced.create(function, arguments.values, &result, CreationContext())
            }
        }
        recorder.close()
        return try Data(contentsOf: URL(filePath: path))
    }
}
