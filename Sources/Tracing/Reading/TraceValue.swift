import OverlayABI
import OverlayCalls

/// One value as it stands in a recording.
package indirect enum TraceValue: Sendable, Equatable {
    /// A null pointer, in place of an argument.
    case null
    /// A view without data: absent, which is not empty.
    case absent
    case signed(Int64)
    case unsigned(UInt64)
    case number(Double)
    case text(TraceBytes)
    case bytes(TraceBytes)
    /// Texts or records.
    case list([TraceValue])
    case record(TraceRecordValue)
    /// The number of a sink; 0: none.
    case sink(UInt32)
    /// The number of an instance; 0: none.
    case instance(UInt32)
    /// Whether there is a table or function.
    case presence(Bool)
    /// A `ctx` pointer, which means something only to the side that made the table.
    case context
    /// A size that cannot be; it was not looked at.
    case impossible(UInt64)
}

/// Bytes of a value, as far as they were kept.
package struct TraceBytes: Sendable, Equatable {
    /// The bytes, or their beginning.
    package var kept: [UInt8]
    /// How many there were.
    package var size: UInt64
    /// SHA-256 of all of them, if not all were kept.
    package var digest: [UInt8]?

    /// Whether all of them were kept.
    package var isWhole: Bool { digest == nil }
}

/// A record of the contract, with the fields that its writer had.
package struct TraceRecordValue: Sendable, Equatable {
    let plan: RecordPlan
    /// Its `struct_size`.
    package let size: UInt32
    /// One value for each field of its shape; nil for one that its writer did not have.
    let values: [TraceValue?]

    package static func == (a: Self, b: Self) -> Bool {
        a.plan === b.plan && a.size == b.size && a.values == b.values
    }

    /// Whether a field counts, as `flags` says.
    func counts(_ index: Int) -> Bool {
        let shape = TraceShapes.all[plan.index]
        let flag = shape.fields[index].flag
        guard flag != 0, shape.flags >= 0, case .unsigned(let flags)?? = values.first.map({ $0 }) else {
            return true
        }
        return flags & UInt64(flag) != 0
    }
}
