import WorkerRPC
import Glibc
import OverlayABI
import Synchronization

/// The tables of an overlay with every function replaced by one that tells of each call and passes it on, whether the overlay is
/// in this process or in a worker.
package final class TracedOverlay: CallTarget {
    private struct Instance {
        var number: UInt32
        var host: TracedHost?
    }

    /// Unchecked: tables that stay where they are as long as the process.
    private struct Tables: @unchecked Sendable {
        let entry: UnsafeMutablePointer<ovl_entry>
        let methods: UnsafeMutablePointer<ovl_methods>
    }

    private let tables: Tables
    private let interposer: Interposer
    private let overlay: TraceRecorder.Overlay
    private let instances = Mutex<[UInt: Instance]>([:])
    private let isKnown = Mutex(false)

    /// The tables in place of an overlay's. They live as long as the process, like the overlay's own.
    package static func tables(
        _ entry: ovl_entry, _ methods: ovl_methods, _ overlay: TraceRecorder.Overlay, _ interposer: Interposer
    ) -> (entry: ovl_entry, methods: ovl_methods) {
        var overlay = overlay
        overlay.number = interposer.nextOverlay()
        let traced = TracedOverlay(entry, methods, overlay, interposer)
        var (newEntry, newMethods) = (entry, methods)
        traced.replace("ovl_entry", &newEntry)
        traced.replace("ovl_methods", &newMethods)
        return (newEntry, newMethods)
    }

    private init(
        _ entry: ovl_entry, _ methods: ovl_methods, _ overlay: TraceRecorder.Overlay, _ interposer: Interposer
    ) {
        tables = Tables(entry: .allocate(capacity: 1), methods: .allocate(capacity: 1))
        tables.entry.initialize(to: entry)
        tables.methods.initialize(to: methods)
        self.overlay = overlay
        self.interposer = interposer
    }

    private func replace<Table>(_ name: String, _ table: inout Table) {
        guard let plan = ContractPlans.shared.record(name) else { return }
        withUnsafeMutableBytes(of: &table) { bytes in
            for function in plan.functions.compactMap({ $0 }) where function.offset + 8 <= bytes.count {
                guard bytes.load(fromByteOffset: function.offset, as: UInt.self) != 0 else { continue }
                bytes.storeBytes(
                    of: Callable.bound(function, self), toByteOffset: function.offset,
                    as: UnsafeRawPointer?.self)
            }
        }
    }

    private func code(_ function: FunctionPlan) -> UnsafeRawPointer? {
        let table =
            function.record.name == "ovl_entry"
            ? UnsafeRawPointer(tables.entry) : UnsafeRawPointer(tables.methods)
        return table.load(fromByteOffset: function.offset, as: UnsafeRawPointer?.self)
    }

    package func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        guard let code = code(function) else {
            return function.fail(OVL_NOT_SUPPORTED, nil, arguments, result)
        }
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 16) { values in
            guard let values = values.baseAddress else { return }
            for index in 0..<function.arguments.count { (values + index).initialize(to: arguments[index]) }
            guard function.arguments.first?.kind == OVL_KIND_INSTANCE else {
                return create(function, code, arguments, values, result)
            }
            let key = arguments[0]?.load(as: UInt.self) ?? 0
            let number = instances.withLock { $0[key]?.number } ?? 0
            interposer.carry(
                function, to: code, isFromOverlay: false, target: number, instance: number, arguments, values,
                result)
            if function.name == "destroy" {
                instances.withLock { $0.removeValue(forKey: key) }?.host?.close()
            }
        }
    }

    /// `create`: the overlay is given a host in place of the host, and its instance gets a number.
    private func create(
        _ function: FunctionPlan, _ code: UnsafeRawPointer,
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ values: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer
    ) {
        let isNew = isKnown.withLock { isKnown in
            defer { isKnown = true }
            return !isKnown
        }
        if isNew { interposer.tell(of: overlay) }
        let number = interposer.nextNumber()
        let host = arguments[0]?.load(as: UnsafeRawPointer?.self).flatMap {
            TracedHost($0, interposer, instance: number, overlay: overlay.number)
        }
        var pointer = host?.pointer
        withUnsafeMutablePointer(to: &pointer) { cell in
            if host != nil { values[0] = UnsafeMutableRawPointer(cell) }
            interposer.carry(
                function, to: code, isFromOverlay: false, target: number, instance: number,
                overlay: overlay.number, arguments, values, result)
        }
        let made = arguments[1]?.load(as: UnsafeRawPointer?.self)?.load(as: UInt.self) ?? 0
        guard result.load(as: Int32.self) == OVL_OK, made != 0 else {
            host?.close()
            return
        }
        instances.withLock { $0[made] = Instance(number: number, host: host) }
    }
}
