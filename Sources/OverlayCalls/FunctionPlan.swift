import CLibffi
import OverlayABI

/// How one function of a table or sink crosses. Lives for ever.
///
/// Unchecked: constant once it is made.
package final class FunctionPlan: @unchecked Sendable {
    /// The table or sink.
    package unowned let record: RecordPlan
    /// Its place among the functions of the record.
    package let index: Int
    /// Its name in the headers.
    package let name: String
    /// Bytes from the start of the table to its slot.
    package let offset: Int
    /// Whether the table is `ovl_entry`.
    let isOfEntry: Bool
    /// `OVL_THREAD_…`.
    package let thread: UInt32
    /// Whether it must not reach the device.
    package let isPure: Bool
    /// Whether it only finds out what later methods may need.
    package let isRepeatable: Bool
    /// `OVL_KIND_…` of the result.
    package let result: UInt32
    /// Its arguments.
    package let arguments: UnsafeBufferPointer<ArgumentPlan>
    /// Whether its calls may be gathered: it takes values and returns only a status.
    package let isRow: Bool
    /// Whether its caller need not wait for its end.
    package let isOneWay: Bool
    /// Whether it asks something that may be answered again within a moment: whether to stop.
    package let isQuestion: Bool
    /// The argument that receives an error; -1 if it has none.
    let errorArgument: Int
    /// How libffi calls it.
    let interface: UnsafeMutablePointer<ffi_cif>
    /// What a table of ours has in its slot: calls `Callable` with the object that its first argument stands for.
    package private(set) var code: UnsafeRawPointer?

    /// `ovl_methods.books`.
    package var fullName: String { record.name + "." + name }

    /// The sink for the error of a call, as a word; 0 if it has none.
    package func errorSink(_ arguments: UnsafePointer<UnsafeMutableRawPointer?>) -> UInt {
        errorArgument < 0 ? 0 : arguments[errorArgument]?.load(as: UInt.self) ?? 0
    }

    /// Nil for a function with a kind of argument that cannot be carried.
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

/// One argument of a function.
package struct ArgumentPlan {
    /// `OVL_KIND_…`.
    package let kind: UInt32
    /// Whether the callee writes it.
    package let isOut: Bool
    /// The element of a list, the record, or the sink. Plans live for ever.
    package let record: Unmanaged<RecordPlan>?

    /// Whether it is passed by a pointer.
    var isPointer: Bool {
        isOut || kind == OVL_KIND_INSTANCE || kind == OVL_KIND_CONTEXT || Self.bytes(of: kind) == nil
    }

    /// Bytes of a value that is passed as it is; nil for values behind pointers.
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
