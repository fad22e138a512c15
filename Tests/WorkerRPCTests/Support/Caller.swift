import OverlayABI
import Synchronization
import TestSupport

@testable import OverlayCalls
@testable import WorkerRPC

/// Generated arguments of a function in libffi's form: the address of each value.
struct SampleArguments {
    let values: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// The memory that the callee writes to, by argument.
    var cells: [Int: UnsafeMutableRawPointer] = [:]

    /// - Parameter sink: makes the pointer to a sink.
    init(
        _ function: ovl_sig_function, _ sample: inout Sample, first: UInt = 0,
        sink: (ovl_sig_record, inout Sample) -> UnsafeMutableRawPointer?
    ) {
        let count = Int(function.arg_count)
        values = sample.memory.allocate(count * 8).bindMemory(
            to: UnsafeMutableRawPointer?.self, capacity: count)
        for index in 0..<count {
            let argument = function.args[index]
            let value = sample.memory.allocate(8)
            values[index] = value
            let isNull = argument.nullable != 0 && Int.random(in: 0..<4, using: &sample.random) == 0
            var pointer: UnsafeMutableRawPointer?
            if argument.direction == OVL_DIRECTION_OUT {
                let cell = sample.memory.allocate(8)
                if argument.kind != OVL_KIND_INSTANCE {
                    cell.storeBytes(
                        of: UInt32.random(in: 0...UInt32.max, using: &sample.random), as: UInt32.self)
                }
                cells[index] = cell
                pointer = cell
            } else {
                switch argument.kind {
                case OVL_KIND_CONTEXT, OVL_KIND_INSTANCE: pointer = UnsafeMutableRawPointer(bitPattern: first)
                case OVL_KIND_TEXT, OVL_KIND_BYTES:
                    let view = sample.memory.allocate(16)
                    sample.bytes(at: view)
                    pointer = isNull ? nil : view
                case OVL_KIND_TEXTS:
                    let view = sample.memory.allocate(16)
                    sample.texts(at: view)
                    pointer = isNull ? nil : view
                case OVL_KIND_LIST:
                    let view = sample.memory.allocate(24)
                    if let element = argument.record { sample.list(of: element.pointee, at: view) }
                    pointer = isNull ? nil : view
                case OVL_KIND_RECORD:
                    if let record = argument.record, !isNull { pointer = sample.record(record.pointee) }
                case OVL_KIND_SINK:
                    if let record = argument.record, !isNull { pointer = sink(record.pointee, &sample) }
                case OVL_KIND_I32, OVL_KIND_U32, OVL_KIND_STATUS:
                    value.storeBytes(
                        of: UInt32.random(in: 0...UInt32.max, using: &sample.random), as: UInt32.self)
                    continue
                default:
                    value.storeBytes(
                        of: UInt64.random(in: 0...UInt64.max, using: &sample.random), as: UInt64.self)
                    continue
                }
            }
            value.storeBytes(of: pointer, as: UnsafeMutableRawPointer?.self)
        }
    }
}

/// A function of an object, for a C pointer.
private final class BoundFunction: Sendable {
    /// The data of all pointers, which are never freed.
    private static let all = Mutex<[BoundFunction]>([])

    let function: FunctionPlan
    let target: any CallTarget

    private init(_ function: FunctionPlan, _ target: any CallTarget) {
        self.function = function
        self.target = target
    }

    /// Creates a pointer that calls `target` with any first argument.
    static func pointer(_ function: FunctionPlan, _ target: any CallTarget) -> UnsafeRawPointer? {
        let bound = BoundFunction(function, target)
        all.withLock { $0.append(bound) }
        return Callable.make(function, Unmanaged.passUnretained(bound).toOpaque()) {
            _, result, arguments, data in
            guard let result, let arguments, let data else { return }
            let bound = Unmanaged<BoundFunction>.fromOpaque(data).takeUnretainedValue()
            bound.target.invoke(bound.function, arguments, result)
        }
    }
}

/// A table on this side whose functions all call `target`.
func makeTable(_ plan: RecordPlan, _ target: any CallTarget, memory: SampleMemory) -> UnsafeMutableRawPointer
{
    let table = memory.allocate(plan.size)
    table.storeBytes(of: UInt32(plan.size), as: UInt32.self)
    for field in plan.fields {
        if field.kind == OVL_KIND_FUNCTION, let function = plan.functions[field.function] {
            table.storeBytes(
                of: BoundFunction.pointer(function, target), toByteOffset: field.offset,
                as: UnsafeRawPointer?.self)
        } else if field.kind == OVL_KIND_CONTEXT {
            table.storeBytes(of: 0x77, toByteOffset: field.offset, as: UInt.self)
        }
    }
    return table
}
