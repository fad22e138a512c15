import OverlayABI

@testable import OverlayCalls
@testable import WorkerRPC

// The content of values of the contract as text, read by the signatures without the module under test.

func describe(text view: UnsafeRawPointer) -> String {
    let size = view.load(fromByteOffset: 8, as: UInt64.self)
    guard let data = view.load(as: UnsafeRawPointer?.self) else { return "absent \(size)" }
    var hash: UInt64 = 14_695_981_039_346_656_037
    for index in 0..<Int(size) {
        hash = (hash ^ UInt64(data.load(fromByteOffset: index, as: UInt8.self))) &* 1_099_511_628_211
    }
    return "\(size) bytes \(hash)"
}

func describe(texts view: UnsafeRawPointer) -> String {
    guard let items = view.load(as: UnsafeRawPointer?.self) else { return "absent" }
    let count = Int(view.load(fromByteOffset: 8, as: UInt64.self))
    return "[" + (0..<count).map { describe(text: items + $0 * 16) }.joined(separator: ", ") + "]"
}

func describe(list view: UnsafeRawPointer, of record: ovl_sig_record) -> String {
    guard let items = view.load(as: UnsafeRawPointer?.self) else { return "absent" }
    let count = Int(view.load(fromByteOffset: 8, as: UInt64.self))
    let stride = Int(view.load(fromByteOffset: 16, as: UInt64.self))
    return "[" + (0..<count).map { describe(record: items + $0 * stride, record) }.joined(separator: ", ")
        + "]"
}

func describe(record place: UnsafeRawPointer, _ record: ovl_sig_record) -> String {
    let size = min(Int(place.load(as: UInt32.self)), Int(record.size))
    var parts: [String] = ["\(size)"]
    for index in 0..<Int(record.field_count) {
        let field = record.fields[index]
        guard Int(field.offset + field.size) <= size else { continue }
        let at = place + Int(field.offset)
        switch field.kind {
        case OVL_KIND_STRUCT_SIZE, OVL_KIND_CONTEXT, OVL_KIND_TABLE: continue
        case OVL_KIND_TEXT, OVL_KIND_BYTES: parts.append(describe(text: at))
        case OVL_KIND_TEXTS: parts.append(describe(texts: at))
        case OVL_KIND_LIST:
            if let element = field.record { parts.append(describe(list: at, of: element.pointee)) }
        case OVL_KIND_RECORD:
            if let inner = field.record { parts.append(describe(record: at, inner.pointee)) }
        case OVL_KIND_FUNCTION: parts.append(at.load(as: UInt.self) == 0 ? "null" : "function")
        default:
            parts.append(
                (0..<Int(field.size)).map { "\(at.load(fromByteOffset: $0, as: UInt8.self))" }.joined(
                    separator: "."))
        }
    }
    return "{" + parts.joined(separator: "; ") + "}"
}

/// The arguments of a call, without those that name sinks, contexts and instances.
func describe(_ function: ovl_sig_function, _ values: UnsafePointer<UnsafeMutableRawPointer?>) -> String {
    (0..<Int(function.arg_count)).map { index in
        let argument = function.args[index]
        guard let value = values[index] else { return "nothing" }
        if argument.kind == OVL_KIND_CONTEXT || argument.kind == OVL_KIND_INSTANCE { return "who" }
        let size = [OVL_KIND_I32, OVL_KIND_U32, OVL_KIND_STATUS].contains(argument.kind) ? 4 : 8
        func number(_ place: UnsafeRawPointer) -> String {
            size == 4 ? "\(place.load(as: UInt32.self))" : "\(place.load(as: UInt64.self))"
        }
        if argument.direction == OVL_DIRECTION_OUT {
            return value.load(as: UnsafeRawPointer?.self).map { "out \(number($0))" } ?? "out null"
        }
        if size == 4 { return number(value) }
        switch argument.kind {
        case OVL_KIND_I64, OVL_KIND_U64, OVL_KIND_F64, OVL_KIND_FILE_ID: return number(value)
        default: break
        }
        guard let pointer = value.load(as: UnsafeRawPointer?.self) else { return "null" }
        switch argument.kind {
        case OVL_KIND_TEXT, OVL_KIND_BYTES: return describe(text: pointer)
        case OVL_KIND_TEXTS: return describe(texts: pointer)
        case OVL_KIND_LIST: return argument.record.map { describe(list: pointer, of: $0.pointee) } ?? ""
        case OVL_KIND_RECORD: return argument.record.map { describe(record: pointer, $0.pointee) } ?? ""
        default: return "sink"
        }
    }.joined(separator: " | ")
}

extension FunctionPlan {
    /// The signature of the table.
    var signature: ovl_sig_function {
        let record = self.record.signature.pointee
        for index in 0..<Int(record.field_count) {
            if let function = record.fields[index].function, String(cString: function.pointee.name) == name {
                return function.pointee
            }
        }
        fatalError("every plan has a signature")
    }
}
