import OverlayABI

/// Describes a record, table or sink for calls. Created once from its signature.
///
/// Unchecked: one thread fills it while the table of all plans is built, and it is constant afterwards. Never freed.
package final class RecordPlan: @unchecked Sendable {
    /// The name in the headers.
    package let name: String
    /// The index in the table of signatures, which is the same on both sides.
    package let index: Int
    /// The size of the record in bytes, as known to this program.
    package let size: Int
    /// The size rounded up to a multiple of 8: the space in a message.
    package let room: Int
    /// The id of the service whose table this is; nil for other records.
    package let service: String?
    /// The fields that are not plain numbers, in their order.
    package fileprivate(set) var fields = UnsafeBufferPointer<FieldPlan>(start: nil, count: 0)
    /// The functions in their order; nil for a function without a plan.
    package fileprivate(set) var functions: [FunctionPlan?] = []
    /// The signature.
    package let signature: UnsafePointer<ovl_sig_record>

    /// Whether this is a table or sink.
    package var hasFunctions: Bool { !functions.isEmpty }

    /// The name of the field at an offset in bytes, for messages; empty if there is none.
    package func fieldName(at offset: Int) -> String {
        let record = signature.pointee
        for index in 0..<Int(record.field_count) where Int(record.fields[index].offset) == offset {
            return String(cString: record.fields[index].name)
        }
        return ""
    }

    /// The function with this name; nil if there is none or if it has no plan.
    package func function(_ name: String) -> FunctionPlan? {
        functions.lazy.compactMap { $0 }.first { $0.name == name }
    }

    fileprivate init(_ signature: UnsafePointer<ovl_sig_record>, index: Int) {
        self.signature = signature
        self.index = index
        name = String(cString: signature.pointee.name)
        size = Int(signature.pointee.size)
        room = (size + 7) & ~7
        service = signature.pointee.service.map { String(cString: $0) }
    }
}

/// A field of a record that must be converted in a call.
package struct FieldPlan {
    /// The type of the field: `OVL_KIND_…`.
    package let kind: UInt32
    package let offset: Int
    package let size: Int
    /// The plan of the list's element, the contained record, or the record to which the field points. Plans are never
    /// freed.
    package let record: Unmanaged<RecordPlan>?
    /// The index of the function in the record, for `OVL_KIND_FUNCTION`.
    package let function: Int

    package var end: Int { offset + size }
}

/// The plans of all records and functions in the contract.
package final class ContractPlans: Sendable {
    /// The plans in the order of the table of signatures.
    package let records: [RecordPlan]
    private let services: [String: RecordPlan]
    private let names: [String: RecordPlan]

    /// The contract with which this program was built.
    package static let shared = ContractPlans()

    private init() {
        var count: UInt32 = 0
        let table = ovl_signatures_v1(&count)
        records = (0..<Int(count)).map { RecordPlan(table[$0], index: $0) }
        var byAddress: [UnsafePointer<ovl_sig_record>: RecordPlan] = [:]
        for record in records { byAddress[record.signature] = record }
        services = Dictionary(
            records.compactMap { record in record.service.map { ($0, record) } },
            uniquingKeysWith: { first, _ in first })
        names = Dictionary(records.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for record in records { Self.fill(record, byAddress) }
    }

    /// The plan of a service's table, by the exact id of the service.
    package func service(_ id: String) -> RecordPlan? { services[id] }

    /// The plan of a record, by its name in the headers.
    package func record(_ name: String) -> RecordPlan? { names[name] }

    /// The plan with an index that the other side specified.
    package func record(at index: UInt64) -> RecordPlan? {
        index < UInt64(records.count) ? records[Int(index)] : nil
    }

    private static func fill(
        _ record: RecordPlan, _ known: [UnsafePointer<ovl_sig_record>: RecordPlan]
    ) {
        let signature = record.signature.pointee
        var fields: [FieldPlan] = []
        for index in 0..<Int(signature.field_count) {
            let field = signature.fields[index]
            switch field.kind {
            case OVL_KIND_TEXT, OVL_KIND_BYTES, OVL_KIND_TEXTS, OVL_KIND_LIST, OVL_KIND_RECORD,
                OVL_KIND_CONTEXT, OVL_KIND_TABLE, OVL_KIND_FUNCTION, OVL_KIND_INSTANCE, OVL_KIND_SINK:
                var place = -1
                if field.kind == OVL_KIND_FUNCTION, let function = field.function {
                    place = record.functions.count
                    record.functions.append(FunctionPlan(function, of: record, index: place, known))
                }
                fields.append(
                    FieldPlan(
                        kind: field.kind, offset: Int(field.offset), size: Int(field.size),
                        record: field.record.flatMap { known[$0] }.map { Unmanaged.passUnretained($0) },
                        function: place))
            default: continue
            }
        }
        let memory = UnsafeMutablePointer<FieldPlan>.allocate(capacity: max(fields.count, 1))
        memory.initialize(from: fields, count: fields.count)
        record.fields = UnsafeBufferPointer(start: memory, count: fields.count)
    }
}
