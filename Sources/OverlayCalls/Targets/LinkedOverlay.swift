import OverlayABI

/// Finds the functions of an overlay by their plans.
///
/// Unchecked: a copy of tables that the contract declares constant. It is never changed, and its functions remain
/// mapped.
package final class OverlayTables: @unchecked Sendable {
    private let entry: UnsafeRawBufferPointer
    private let methods: UnsafeRawBufferPointer

    /// Copies the tables of an overlay.
    package init(_ entry: ovl_entry, _ methods: ovl_methods) {
        func copy<Table>(_ table: Table) -> UnsafeRawBufferPointer {
            let memory = UnsafeMutablePointer<Table>.allocate(capacity: 1)
            memory.initialize(to: table)
            return UnsafeRawBufferPointer(start: memory, count: MemoryLayout<Table>.size)
        }
        (self.entry, self.methods) = (copy(entry), copy(methods))
    }

    deinit {
        entry.deallocate()
        methods.deallocate()
    }

    /// The address of a function of `ovl_entry` or `ovl_methods`; nil if the overlay does not implement it.
    package func code(_ function: FunctionPlan) -> UnsafeRawPointer? {
        let table = function.isOfEntry ? entry : methods
        guard function.offset <= table.count - MemoryLayout<UInt>.size else { return nil }
        return table.load(fromByteOffset: function.offset, as: UnsafeRawPointer?.self)
    }
}

/// An overlay in this process, called with its own function pointers.
package final class LinkedOverlay: OverlayFactory {
    private let tables: OverlayTables

    /// Creates an overlay from its tables.
    package init(_ tables: OverlayTables) { self.tables = tables }

    package func implements(_ function: FunctionPlan) -> Bool { tables.code(function) != nil }

    /// Does nothing, because the overlay is already loaded.
    package func prepare() -> Bool { false }

    /// Does nothing, because nothing was prepared.
    package func dismiss() {}

    package func create(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer, _ context: CreationContext
    ) throws(WorkerFailure) -> (any OverlayTarget)? {
        guard let code = tables.code(function) else {
            function.fail(OVL_NOT_SUPPORTED, nil, arguments, result)
            return nil
        }
        function.call(code, UnsafeMutablePointer(mutating: arguments), result)
        let cell = arguments[1]?.load(as: UnsafeRawPointer?.self)
        guard result.load(as: Int32.self) == OVL_OK, let instance = cell?.load(as: UInt.self), instance != 0
        else { return nil }
        return LinkedInstance(tables, instance)
    }
}

/// An instance in this process.
///
/// Unchecked: `instance` is constant after its creation.
private final class LinkedInstance: OverlayTarget, @unchecked Sendable {
    private let tables: OverlayTables
    /// Contains the overlay's pointer, in the form of an argument.
    private let instance: UnsafeMutablePointer<UInt>

    init(_ tables: OverlayTables, _ instance: UInt) {
        self.tables = tables
        self.instance = .allocate(capacity: 1)
        self.instance.initialize(to: instance)
    }

    deinit { instance.deallocate() }

    func call(
        _ function: FunctionPlan, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) throws(WorkerFailure) {
        guard let code = tables.code(function) else {
            return function.fail(OVL_NOT_SUPPORTED, nil, arguments, result)
        }
        arguments[0] = UnsafeMutableRawPointer(instance)
        function.call(code, arguments, result)
    }
}
