import OverlayCalls
import TestSupport
import OverlayABI

@testable import Tracing

/// Random values of every kind of the contract, made from the shapes of its records.
struct Sample {
    var random: SeededGenerator
    /// The maximum nesting of lists and records.
    private var depth = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Arguments of a function; nil for one that the callee writes.
    mutating func arguments(_ function: FunctionPlan) -> [TraceValue?] {
        function.arguments.map { argument -> TraceValue? in
            if argument.isOut { return nil }
            switch argument.kind {
            case OVL_KIND_CONTEXT: return .context
            case OVL_KIND_SINK: return .sink(7)
            case OVL_KIND_INSTANCE: return .instance(3)
            case OVL_KIND_TEXT, OVL_KIND_BYTES, OVL_KIND_TEXTS, OVL_KIND_LIST, OVL_KIND_RECORD:
                if chance(8) { return .null }
                let index = argument.record?.takeUnretainedValue().index ?? -1
                return value(argument.kind, index)
            default: return value(argument.kind, -1)
            }
        }
    }

    mutating func record(_ index: Int) -> TraceValue {
        depth += 1
        defer { depth -= 1 }
        let shape = TraceShapes.all[index]
        return .record(
            TraceRecordValue(
                plan: shape.plan, size: UInt32(shape.plan.size),
                values: shape.fields.map { field in
                    switch field.kind {
                    case OVL_KIND_CONTEXT, OVL_KIND_INSTANCE: .context
                    case OVL_KIND_FUNCTION, OVL_KIND_TABLE, OVL_KIND_SINK: .presence(false)
                    case OVL_KIND_RECORD: record(field.record)
                    default: value(field.kind, field.record)
                    }
                }))
    }

    private mutating func value(_ kind: UInt32, _ index: Int) -> TraceValue {
        switch kind {
        case OVL_KIND_I32, OVL_KIND_STATUS: return .signed(Int64(Int32(truncatingIfNeeded: random.next())))
        case OVL_KIND_I64: return .signed(Int64(truncatingIfNeeded: random.next()))
        case OVL_KIND_U32, OVL_KIND_FLAGS: return .unsigned(UInt64(UInt32(truncatingIfNeeded: random.next())))
        case OVL_KIND_F64: return .number(Double(random.next() % 1000) / 8)
        case OVL_KIND_TEXT: return chance(6) ? .absent : .text(bytes())
        case OVL_KIND_BYTES: return chance(6) ? .absent : .bytes(bytes())
        case OVL_KIND_TEXTS: return chance(6) ? .absent : .list((0..<count()).map { _ in .text(bytes()) })
        case OVL_KIND_LIST: return chance(6) ? .absent : .list((0..<count()).map { _ in record(index) })
        case OVL_KIND_RECORD: return record(index)
        default: return .unsigned(random.next())
        }
    }

    private mutating func bytes() -> TraceBytes {
        let kept = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return TraceBytes(kept: kept, size: UInt64(kept.count))
    }

    private mutating func count() -> Int { depth > 3 ? 0 : Int(random.next() % 4) }

    private mutating func chance(_ times: UInt64) -> Bool { random.next() % times == 0 }
}

extension ContractPlans {
    /// Every function of the contract that can be transferred.
    var allFunctions: [FunctionPlan] { records.flatMap { $0.functions.compactMap { $0 } } }
}
