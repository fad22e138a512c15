import OverlayABI
import OverlayCalls

/// A difference between two values.
struct TraceDifference {
    /// The path of the difference, such as `items[2].title`.
    var path: String
    var expected: TraceValue
    var seen: TraceValue

    /// The first difference between the arguments of two calls of a function; nil if there is none. The numbers of
    /// sinks and instances may differ.
    ///
    /// - Parameter ignoring: functions, or arguments such as `storage.put.value`, that may differ.
    static func first(
        _ function: FunctionPlan, expected: [TraceValue?], seen: [TraceValue?], ignoring: Set<String> = []
    ) -> TraceDifference? {
        let name = function.displayName
        if ignoring.contains(name) { return nil }
        let names = TraceShapes.argumentNames(function)
        for index in 0..<min(expected.count, seen.count, names.count) {
            guard let one = expected[index], let other = seen[index] else { continue }
            if !ignoring.isEmpty, ignoring.contains("\(name).\(names[index])") { continue }
            if let difference = first(one, other, names[index]) { return difference }
        }
        return nil
    }

    /// The first difference between two values; nil if there is none.
    static func first(_ expected: TraceValue, _ seen: TraceValue, _ path: String) -> TraceDifference? {
        switch (expected, seen) {
        case (.sink(let one), .sink(let other)):
            // Only one of them is present.
            if (one == 0) == (other == 0) { return nil }
        case (.instance, .instance), (.context, _), (_, .context), (.presence, .presence): return nil
        case (.text(let one), .text(let other)), (.bytes(let one), .bytes(let other)):
            if same(one, other) { return nil }
        case (.list(let one), .list(let other)):
            for index in 0..<min(one.count, other.count) {
                if let found = first(one[index], other[index], "\(path)[\(index)]") { return found }
            }
            if one.count == other.count { return nil }
            return TraceDifference(
                path: path + ".count", expected: .unsigned(UInt64(one.count)),
                seen: .unsigned(UInt64(other.count)))
        case (.record(let one), .record(let other)): return first(one, other, path)
        default: if expected == seen { return nil }
        }
        return TraceDifference(path: path, expected: expected, seen: seen)
    }

    private static func first(_ one: TraceRecordValue, _ other: TraceRecordValue, _ path: String)
        -> TraceDifference?
    {
        guard one.plan === other.plan else {
            return TraceDifference(path: path, expected: .record(one), seen: .record(other))
        }
        let fields = TraceShapes.all[one.plan.index].fields
        for index in 0..<min(fields.count, one.values.count, other.values.count) {
            let (isOne, isOther) = (one.counts(index), other.counts(index))
            if !isOne, !isOther { continue }
            // Fields that an older or newer header does not have count as zero.
            let left = one.values[index] ?? zero(fields[index].kind)
            let right = other.values[index] ?? zero(fields[index].kind)
            let place = path.isEmpty ? fields[index].name : "\(path).\(fields[index].name)"
            if let found = first(left, right, place) { return found }
        }
        return nil
    }

    private static func zero(_ kind: UInt32) -> TraceValue {
        switch kind {
        case OVL_KIND_I32, OVL_KIND_I64, OVL_KIND_STATUS: .signed(0)
        case OVL_KIND_F64: .number(0)
        case OVL_KIND_TEXT, OVL_KIND_BYTES, OVL_KIND_TEXTS, OVL_KIND_LIST: .absent
        case OVL_KIND_RECORD, OVL_KIND_CONTEXT: .context
        case OVL_KIND_FUNCTION, OVL_KIND_TABLE, OVL_KIND_SINK: .presence(false)
        default: .unsigned(0)
        }
    }

    /// Recordings with different limits keep parts of different lengths; then length and digest decide.
    private static func same(_ one: TraceBytes, _ other: TraceBytes) -> Bool {
        guard one.size == other.size else { return false }
        if let digest = one.digest, let otherDigest = other.digest { return digest == otherDigest }
        return one.kept == other.kept
    }
}
