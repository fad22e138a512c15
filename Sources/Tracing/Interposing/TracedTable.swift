import Glibc
import OverlayABI
import OverlayCalls
import Synchronization

/// A table of the host, for a service or the host itself, that reports each call and passes it on.
///
/// Unchecked: the memory is written once, before an overlay sees it.
final class TracedTable: CallTarget, @unchecked Sendable {
    /// The table for the overlay.
    let pointer: UnsafeRawPointer
    private let original: UnsafeRawPointer
    private let memory: UnsafeMutableRawPointer
    private let context: UnsafeMutablePointer<UInt>
    private let interposer: Interposer
    private let instance: UInt32
    /// Replaces a table that a function returns.
    private let wrap:
        @Sendable (FunctionPlan, UnsafePointer<UnsafeMutableRawPointer?>, UnsafeRawPointer) ->
            UnsafeRawPointer
    private var token: UInt = 0

    /// - Parameter original: the table; valid until `close`.
    init(
        _ plan: RecordPlan, _ original: UnsafeRawPointer, _ interposer: Interposer, instance: UInt32,
        wrap:
            @escaping @Sendable (
                FunctionPlan, UnsafePointer<UnsafeMutableRawPointer?>, UnsafeRawPointer
            ) -> UnsafeRawPointer = { $2 }
    ) {
        self.original = original
        self.interposer = interposer
        self.instance = instance
        self.wrap = wrap
        let size = min(Int(original.load(as: UInt32.self)), plan.size)
        memory = .allocate(byteCount: max(plan.room, 16), alignment: 16)
        memset(memory, 0, max(plan.room, 16))
        memcpy(memory, original, size)
        memory.storeBytes(of: UInt32(size), as: UInt32.self)
        pointer = UnsafeRawPointer(memory)
        context = .allocate(capacity: 1)
        context.initialize(to: 0)
        token = TokenTable.shared.add(self)
        for field in TraceShapes.all[plan.index].fields where field.end <= size {
            if field.kind == OVL_KIND_CONTEXT {
                context.pointee = original.load(fromByteOffset: field.offset, as: UInt.self)
                memory.storeBytes(of: token, toByteOffset: field.offset, as: UInt.self)
            } else if field.kind == OVL_KIND_FUNCTION, field.function >= 0,
                original.load(fromByteOffset: field.offset, as: UInt.self) != 0
            {
                memory.storeBytes(
                    of: plan.functions[field.function]?.code, toByteOffset: field.offset,
                    as: UnsafeRawPointer?.self)
            }
        }
    }

    deinit {
        memory.deallocate()
        context.deallocate()
    }

    /// Releases the table; further calls have no effect.
    func close() { TokenTable.shared.remove(token) }

    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        guard
            let code = original.load(fromByteOffset: function.offset, as: UnsafeRawPointer?.self)
        else { return function.fail(OVL_NOT_SUPPORTED, nil, arguments, result) }
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 16) { values in
            guard let values = values.baseAddress else { return }
            for index in 0..<function.arguments.count { (values + index).initialize(to: arguments[index]) }
            values[0] = UnsafeMutableRawPointer(context)
            interposer.carry(
                function, to: code, isFromOverlay: true, target: instance, instance: instance, arguments,
                values, result)
            guard function.result == OVL_KIND_TABLE,
                let table = result.load(as: UnsafeRawPointer?.self)
            else { return }
            result.storeBytes(of: wrap(function, arguments, table), as: UnsafeRawPointer.self)
        }
    }
}

/// The host for one instance: the host's record and services, each with its table replaced.
final class TracedHost: Sendable {
    private let interposer: Interposer
    private let instance: UInt32
    private let original: Address
    private let state = Mutex(State())

    private struct State {
        var host: TracedTable?
        /// The replacement tables, by the address of the original.
        var services: [UInt: TracedTable] = [:]
    }

    /// Unchecked: the host keeps its record valid until `destroy` has returned.
    private struct Address: @unchecked Sendable {
        let pointer: UnsafeRawPointer
    }

    init?(_ host: UnsafeRawPointer, _ interposer: Interposer, instance: UInt32) {
        guard let plan = ContractPlans.shared.record("ovl_host") else { return nil }
        self.interposer = interposer
        self.instance = instance
        original = Address(pointer: host)
        let table = TracedTable(plan, host, interposer, instance: instance) {
            [unowned self] function, arguments, table in
            service(function, arguments, table)
        }
        state.withLock { $0.host = table }
    }

    /// The argument for `create`.
    var pointer: UnsafeRawPointer { state.withLock { $0.host?.pointer } ?? original.pointer }

    /// Releases everything; call when the overlay has done so.
    func close() {
        let (host, services) = state.withLock { state in
            defer { state = State() }
            return (state.host, state.services)
        }
        guard let host else { return }
        host.close()
        for table in services.values { table.close() }
    }

    private func service(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ table: UnsafeRawPointer
    ) -> UnsafeRawPointer {
        guard let plan = Self.plan(function, arguments) else { return table }
        return state.withLock { state in
            if let known = state.services[UInt(bitPattern: table)] { return known.pointer }
            let traced = TracedTable(plan, table, interposer, instance: instance)
            state.services[UInt(bitPattern: table)] = traced
            return traced.pointer
        }
    }

    /// The plan of the service whose id is in the arguments.
    static func plan(_ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>)
        -> RecordPlan?
    {
        for index in 0..<function.arguments.count where function.arguments[index].kind == OVL_KIND_TEXT {
            guard let id = arguments[index]?.load(as: UnsafePointer<ovl_text>?.self)?.pointee,
                let data = id.data, id.size <= 256
            else { continue }
            let bytes = UnsafeRawBufferPointer(start: data, count: Int(id.size))
            return ContractPlans.shared.service(String(decoding: bytes, as: UTF8.self))
        }
        return nil
    }
}
