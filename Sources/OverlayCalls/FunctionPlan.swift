import CLibffi
import OverlayABI

/// Describes how a function of a table or sink is called. Never freed.
///
/// Unchecked: constant after its creation.
package final class FunctionPlan: @unchecked Sendable {
    /// The plan of the table or sink.
    package unowned let record: RecordPlan
    /// The index among the functions of the record.
    package let index: Int
    /// The name in the headers.
    package let name: String
    /// The offset of the slot in the table, in bytes.
    package let offset: Int
    /// Whether the table is `ovl_entry`.
    let isOfEntry: Bool
    /// The thread of the function: `OVL_THREAD_…`.
    package let thread: UInt32
    /// Whether the function must not use the device.
    package let isPure: Bool
    /// Whether the function only gets information that later methods may need.
    package let isRepeatable: Bool
    /// The type of the result: `OVL_KIND_…`.
    package let result: UInt32
    /// The arguments.
    package let arguments: UnsafeBufferPointer<ArgumentPlan>
    /// Whether calls may be collected, because the function only receives values and returns a status.
    package let isRow: Bool
    /// Whether the function reports the outcome of one item of a batch, for which the user may wait long.
    package let isOutcome: Bool
    /// Whether the caller need not wait for the end of the call.
    package let isOneWay: Bool
    /// Whether the function asks whether to stop, so that a recent answer can be used again.
    package let isQuestion: Bool
    /// The index of the argument that receives an error; -1 if there is none.
    let errorArgument: Int
    /// The description for libffi.
    let interface: UnsafeMutablePointer<ffi_cif>
    /// The pointer for the slot in tables of this program. It calls `Callable` with the object of the first argument.
    package private(set) var code: UnsafeRawPointer?

    /// The complete name, such as `ovl_methods.books`.
    package var fullName: String { record.name + "." + name }

    /// The sink for the error of a call, as a word; 0 if there is none.
    package func errorSink(_ arguments: UnsafePointer<UnsafeMutableRawPointer?>) -> UInt {
        errorArgument < 0 ? 0 : arguments[errorArgument]?.load(as: UInt.self) ?? 0
    }

    /// Creates a plan; nil for a function with an argument of an unsupported type.
    init?(
        _ signature: UnsafePointer<ovl_sig_function>, of record: RecordPlan, index: Int,
        _ known: [UnsafePointer<ovl_sig_record>: RecordPlan]
    ) {
        let function = signature.pointee
        let count = Int(function.arg_count)
        var plans: [ArgumentPlan] = []
        for place in 0..<count {
            let argument = function.args[place]
            let plan = ArgumentPlan(
                kind: argument.kind, isOut: argument.direction == OVL_DIRECTION_OUT,
                record: argument.record.flatMap { known[$0] }.map { Unmanaged.passUnretained($0) })
            guard plan.canCross else { return nil }
            plans.append(plan)
        }
        guard count <= 16, let interface = CallInterface.make(plans, result: function.result) else {
            return nil
        }
        self.record = record
        self.index = index
        name = String(cString: function.name)
        offset = Int(function.offset)
        isOfEntry = record.name == "ovl_entry"
        thread = function.thread
        isPure = function.flags & OVL_SIG_PURE != 0
        isRepeatable = function.flags & OVL_SIG_REPEATABLE != 0
        result = function.result
        self.interface = interface
        let memory = UnsafeMutablePointer<ArgumentPlan>.allocate(capacity: max(count, 1))
        memory.initialize(from: plans, count: count)
        arguments = UnsafeBufferPointer(start: memory, count: count)
        let givesBack = plans.contains { $0.isOut || $0.kind == OVL_KIND_SINK }
        isRow =
            function.thread == OVL_THREAD_CALLER && !givesBack
            && (function.result == OVL_KIND_STATUS || function.result == OVL_KIND_VOID)
        isOutcome = isRow && ["ovl_result_sink", "ovl_sync_row_sink"].contains(record.name)
        isOneWay = function.thread == OVL_THREAD_ANY && !givesBack && function.result == OVL_KIND_VOID
        isQuestion =
            function.thread == OVL_THREAD_ANY && function.result == OVL_KIND_I32
            && plans.allSatisfy { $0.kind == OVL_KIND_CONTEXT }
        errorArgument =
            plans.lastIndex {
                $0.kind == OVL_KIND_SINK && $0.record?.takeUnretainedValue().name == "ovl_error_sink"
            } ?? -1
        code = Callable.shared(self)
    }
}

/// An argument of a function.
package struct ArgumentPlan {
    /// The type of the argument: `OVL_KIND_…`.
    package let kind: UInt32
    /// Whether the callee writes it.
    package let isOut: Bool
    /// The plan of the list's element, the record, or the sink. Plans are never freed.
    package let record: Unmanaged<RecordPlan>?

    /// Whether the argument is passed by a pointer.
    var isPointer: Bool {
        isOut || kind == OVL_KIND_INSTANCE || kind == OVL_KIND_CONTEXT || Self.bytes(of: kind) == nil
    }

    /// The size in bytes of a value that is passed directly; nil for values that are passed by a pointer.
    package static func bytes(of kind: UInt32) -> Int? {
        switch kind {
        case OVL_KIND_I32, OVL_KIND_U32, OVL_KIND_STATUS: 4
        case OVL_KIND_I64, OVL_KIND_U64, OVL_KIND_F64, OVL_KIND_FILE_ID: 8
        default: nil
        }
    }

    fileprivate var canCross: Bool {
        switch kind {
        case OVL_KIND_TEXT, OVL_KIND_BYTES, OVL_KIND_TEXTS, OVL_KIND_CONTEXT: !isOut
        case OVL_KIND_LIST, OVL_KIND_RECORD, OVL_KIND_SINK: !isOut && record != nil
        case OVL_KIND_INSTANCE: true
        default: Self.bytes(of: kind) != nil
        }
    }
}
