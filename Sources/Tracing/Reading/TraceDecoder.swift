import Diagnostics
import OverlayABI
import OverlayCalls

/// Reads values from the body of a record, which may contain anything.
struct TraceDecoder {
    private let bytes: [UInt8]
    private var place: Int
    private let end: Int
    /// The size of each record in bytes, as the writer of the recording knew it.
    private let sizes: [Int]
    private var depth = 0

    /// The most levels of records within records.
    private static let deepest = 16

    init(_ bytes: [UInt8], from start: Int = 0, sizes: [Int]) {
        self.bytes = bytes
        place = start
        end = bytes.count
        self.sizes = sizes
    }

    static func damaged(_ clause: String) -> TraceError {
        TraceError(.damaged, "The recording is damaged: \(clause).")
    }

    private mutating func take(_ count: Int) throws(TraceError) -> Int {
        guard count >= 0, count <= end - place else { throw Self.damaged("a record ends too early") }
        defer { place += count }
        return place
    }

    mutating func word8() throws(TraceError) -> UInt8 { bytes[try take(1)] }

    mutating func word32() throws(TraceError) -> UInt32 {
        let start = try take(4)
        var value: UInt32 = 0
        for index in 0..<4 { value |= UInt32(bytes[start + index]) << UInt32(8 * index) }
        return value
    }

    mutating func word64() throws(TraceError) -> UInt64 {
        let low = try word32()
        return UInt64(low) | UInt64(try word32()) << 32
    }

    /// A text that the recorder wrote itself.
    mutating func text() throws(TraceError) -> String {
        guard case .text(let text) = try view(isText: true) else { return "" }
        return String(decoding: text.kept, as: UTF8.self)
    }

    // MARK: values

    mutating func view(isText: Bool) throws(TraceError) -> TraceValue {
        let mark = try word32()
        var value: TraceBytes
        switch mark {
        case 0: return .absent
        case TraceFormat.impossible: return .impossible(try word64())
        case TraceFormat.cut:
            let size = try word64()
            let kept = Int(try word32())
            let start = try take(kept)
            value = TraceBytes(kept: Array(bytes[start..<start + kept]), size: size)
            let digest = try take(TraceFormat.digestSize)
            let known = bytes[digest..<digest + TraceFormat.digestSize]
            value.digest = known.allSatisfy { $0 == 0 } ? nil : Array(known)
            guard UInt64(kept) <= size else { throw Self.damaged("a value is longer than its stated length") }
        default:
            let size = Int(mark - 1)
            let start = try take(size)
            value = TraceBytes(kept: Array(bytes[start..<start + size]), size: UInt64(size))
        }
        return isText ? .text(value) : .bytes(value)
    }

    private mutating func elements(
        _ element: (inout TraceDecoder) throws(TraceError) -> TraceValue
    ) throws(TraceError) -> TraceValue {
        let mark = try word32()
        if mark == 0 { return .absent }
        if mark == TraceFormat.impossible { return .impossible(try word64()) }
        let count = Int(mark - 1)
        // Each element takes at least four bytes.
        guard count <= (end - place) / 4 else { throw Self.damaged("a list is longer than its record") }
        var values: [TraceValue] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try element(&self)) }
        return .list(values)
    }

    mutating func record(_ index: Int) throws(TraceError) -> TraceValue {
        guard TraceShapes.all.indices.contains(index), depth < Self.deepest else {
            throw Self.damaged("records are nested too deeply")
        }
        depth += 1
        defer { depth -= 1 }
        let size = try word32()
        if size == TraceFormat.impossible { return .impossible(try word64()) }
        let shape = TraceShapes.all[index]
        let known = min(Int(size), sizes[index])
        var values: [TraceValue?] = []
        values.reserveCapacity(shape.fields.count)
        for field in shape.fields {
            values.append(field.end <= known ? try self.field(field) : nil)
        }
        return .record(TraceRecordValue(plan: shape.plan, size: size, values: values))
    }

    private mutating func field(_ field: TraceField) throws(TraceError) -> TraceValue {
        switch field.kind {
        case OVL_KIND_RECORD: try record(field.record)
        case OVL_KIND_FUNCTION, OVL_KIND_TABLE, OVL_KIND_SINK: .presence(try word8() != 0)
        case OVL_KIND_CONTEXT, OVL_KIND_INSTANCE: .context
        default: try value(field.kind, field.record)
        }
    }

    private mutating func value(_ kind: UInt32, _ record: Int) throws(TraceError) -> TraceValue {
        switch kind {
        case OVL_KIND_I32, OVL_KIND_STATUS: return .signed(Int64(Int32(bitPattern: try word32())))
        case OVL_KIND_U32, OVL_KIND_FLAGS: return .unsigned(UInt64(try word32()))
        case OVL_KIND_I64: return .signed(Int64(bitPattern: try word64()))
        case OVL_KIND_F64: return .number(Double(bitPattern: try word64()))
        case OVL_KIND_U64, OVL_KIND_FILE_ID: return .unsigned(try word64())
        case OVL_KIND_TEXT: return try view(isText: true)
        case OVL_KIND_BYTES: return try view(isText: false)
        case OVL_KIND_TEXTS:
            return try elements { (decoder) throws(TraceError) in try decoder.view(isText: true) }
        case OVL_KIND_LIST:
            return try elements { (decoder) throws(TraceError) in try decoder.record(record) }
        case OVL_KIND_RECORD: return try self.record(record)
        default: throw Self.damaged("it has a value of unknown kind")
        }
    }

    // MARK: calls

    mutating func arguments(_ function: FunctionPlan) throws(TraceError) -> [TraceValue?] {
        var values: [TraceValue?] = []
        for argument in function.arguments {
            if argument.isOut {
                values.append(nil)
                continue
            }
            switch argument.kind {
            case OVL_KIND_CONTEXT: values.append(.context)
            case OVL_KIND_SINK: values.append(.sink(try word32()))
            case OVL_KIND_INSTANCE: values.append(.instance(try word32()))
            case OVL_KIND_TEXT, OVL_KIND_BYTES, OVL_KIND_TEXTS, OVL_KIND_LIST, OVL_KIND_RECORD:
                values.append(
                    try word8() == 0 ? .null : try value(argument.kind, argument.recordIndex))
            default: values.append(try value(argument.kind, argument.recordIndex))
            }
        }
        return values
    }

    mutating func results(_ function: FunctionPlan) throws(TraceError) -> (TraceValue?, [TraceValue?]) {
        let result: TraceValue? =
            switch function.result {
            case OVL_KIND_VOID: nil
            case OVL_KIND_TABLE: .presence(try word8() != 0)
            default: try value(function.result, -1)
            }
        var values: [TraceValue?] = []
        for argument in function.arguments {
            guard argument.isOut else {
                values.append(nil)
                continue
            }
            guard try word8() != 0 else {
                values.append(.null)
                continue
            }
            values.append(
                argument.kind == OVL_KIND_INSTANCE ? .instance(try word32()) : try value(argument.kind, -1))
        }
        return (result, values)
    }
}
