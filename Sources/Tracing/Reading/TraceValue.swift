import OverlayABI
import OverlayCalls

/// A value in a recording.
package indirect enum TraceValue: Sendable, Equatable {
    /// A null pointer as an argument.
    case null
    /// A view without data, which is different from an empty one.
    case absent
    case signed(Int64)
    case unsigned(UInt64)
    case number(Double)
    case text(TraceBytes)
    case bytes(TraceBytes)
    /// A list of texts or records.
    case list([TraceValue])
    case record(TraceRecordValue)
    /// The number of a sink; 0 for none.
    case sink(UInt32)
    /// The number of an instance; 0 for none.
    case instance(UInt32)
    /// Whether a table or function is present.
    case presence(Bool)
    /// A `ctx` pointer, which has a meaning only on the side that made the table.
    case context
    /// An impossible size; the value was not read.
    case impossible(UInt64)
}

/// The bytes of a value that were kept.
package struct TraceBytes: Sendable, Equatable {
    /// The bytes, or their beginning.
    package var kept: [UInt8]
    /// The original number of bytes.
    package var size: UInt64
    /// The SHA-256 of all bytes, if not all were kept.
    package var digest: [UInt8]?

    /// Whether all of them were kept.
    package var isWhole: Bool { digest == nil }
}

/// A record of the contract, with the fields that its writer had.
package struct TraceRecordValue: Sendable, Equatable {
    let plan: RecordPlan
    /// Its `struct_size`.
    package let size: UInt32
    /// A value for each field of its shape; nil for a field that its writer did not have.
    let values: [TraceValue?]

    package static func == (a: Self, b: Self) -> Bool {
        a.plan === b.plan && a.size == b.size && a.values == b.values
    }

    /// Whether a field counts according to `flags`.
    func counts(_ index: Int) -> Bool {
        let shape = TraceShapes.all[plan.index]
        let flag = shape.fields[index].flag
        guard flag != 0, shape.flags >= 0, case .unsigned(let flags)?? = values.first.map({ $0 }) else {
            return true
        }
        return flags & UInt64(flag) != 0
    }
}
