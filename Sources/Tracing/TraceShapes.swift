import OverlayABI
import OverlayCalls

/// A field of a record in a recording.
struct TraceField {
    let name: String
    /// `OVL_KIND_…`.
    let kind: UInt32
    let offset: Int
    let size: Int
    /// The bit of `flags` without which the field does not count; 0 if it always counts.
    let flag: UInt32
    /// The index of the plan of the element or record; -1 if there is none.
    let record: Int
    /// The index of the function in the record; -1 for any other field.
    let function: Int

    var end: Int { offset + size }
}

/// The fields of a record, computed once, without `struct_size` and padding.
///
/// Unchecked: constant, and the memory is never freed.
final class TraceShape: @unchecked Sendable {
    let plan: RecordPlan
    let fields: UnsafeBufferPointer<TraceField>
    /// The offset of `flags`; -1 if the record does not have it.
    let flags: Int

    fileprivate init(_ plan: RecordPlan, _ places: [UnsafePointer<ovl_sig_record>: Int]) {
        self.plan = plan
        let signature = plan.signature.pointee
        var fields: [TraceField] = []
        var functions = 0
        var flags = -1
        for index in 0..<Int(signature.field_count) {
            let field = signature.fields[index]
            var function = -1
            if field.kind == OVL_KIND_FUNCTION {
                function = functions
                functions += 1
            }
            if field.kind == OVL_KIND_FLAGS { flags = fields.count }
            guard field.kind != OVL_KIND_STRUCT_SIZE, field.kind != OVL_KIND_RESERVED else { continue }
            fields.append(
                TraceField(
                    name: String(cString: field.name), kind: field.kind, offset: Int(field.offset),
                    size: Int(field.size), flag: field.flag,
                    record: field.record.flatMap { places[$0] } ?? -1, function: function))
        }
        let memory = UnsafeMutablePointer<TraceField>.allocate(capacity: max(fields.count, 1))
        memory.initialize(from: fields, count: fields.count)
        self.fields = UnsafeBufferPointer(start: memory, count: fields.count)
        self.flags = flags
    }
}

/// The shapes of all records, in the order of the table of signatures.
enum TraceShapes {
    static let all: [TraceShape] = {
        var places: [UnsafePointer<ovl_sig_record>: Int] = [:]
        for record in ContractPlans.shared.records { places[record.signature] = record.index }
        return ContractPlans.shared.records.map { TraceShape($0, places) }
    }()

    /// Names of the arguments of a function.
    static func argumentNames(_ function: FunctionPlan) -> [String] {
        let signature = function.record.signature.pointee
        for index in 0..<Int(signature.field_count) {
            guard let candidate = signature.fields[index].function?.pointee,
                Int(candidate.offset) == function.offset
            else { continue }
            return (0..<Int(candidate.arg_count)).map { String(cString: candidate.args[$0].name) }
        }
        return []
    }
}
