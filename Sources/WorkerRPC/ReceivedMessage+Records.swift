import Diagnostics
import Glibc
import OverlayABI
import OverlayCalls

/// Makes the tables of the other side callable.
protocol Importer: AnyObject {
    /// The context value for a table with this number.
    func context(ofTable number: UInt64, _ plan: RecordPlan) -> UInt
    /// Records the number of a table in the message.
    func found(table number: UInt64, _ plan: RecordPlan)
}

extension ReceivedMessage {
    /// Decodes the record at `place`, whose space has been taken.
    ///
    /// - Parameter table: the number of the record if it is a table.
    func decode(record plan: RecordPlan, at place: Int, table: UInt64 = 0, _ importer: (any Importer)?)
        throws(WorkerRPCError)
    {
        if table != 0 { importer?.found(table: table, plan) }
        let size = Int(base.load(fromByteOffset: place, as: UInt32.self))
        guard size <= plan.size else {
            throw WorkerRPCError(.malformed, "An \(plan.name) has \(size) bytes.")
        }
        for field in plan.fields {
            let at = place + field.offset
            if field.kind == OVL_KIND_RECORD, let record = field.record {
                if field.offset + 4 <= size {
                    try decode(record: record._withUnsafeGuaranteedRef { $0 }, at: at, importer)
                } else {
                    memset(base + at, 0, field.size)
                }
                continue
            }
            guard field.end <= size else {
                memset(base + at, 0, field.size)
                continue
            }
            switch field.kind {
            case OVL_KIND_TEXT, OVL_KIND_BYTES: try decodeView(field.kind, at)
            case OVL_KIND_TEXTS: try decodeTexts(at)
            case OVL_KIND_LIST:
                guard let record = field.record else { continue }
                try decodeList(record._withUnsafeGuaranteedRef { $0 }, at, importer)
            case OVL_KIND_FUNCTION: decodeFunction(plan, field, at, table, importer)
            case OVL_KIND_CONTEXT:
                let context = table == 0 ? 0 : importer?.context(ofTable: table, plan) ?? 0
                base.storeBytes(of: context, toByteOffset: at, as: UInt.self)
            case OVL_KIND_TABLE:
                guard let record = field.record else { continue }
                try decodePointer(record._withUnsafeGuaranteedRef { $0 }, at, importer)
            default: base.storeBytes(of: 0, toByteOffset: at, as: UInt.self)
            }
        }
    }

    @inline(__always)
    func decodeView(_ kind: UInt32, _ place: Int) throws(WorkerRPCError) {
        let tag = base.load(fromByteOffset: place, as: UInt.self)
        guard tag != 0 else { return }
        let size = base.load(fromByteOffset: place + 8, as: UInt64.self)
        guard size <= UInt64(Int.max) else { throw WorkerRPCError(.malformed, "A value has \(size) bytes.") }
        if tag == PointerTag.here {
            let bytes = try take(Int(size))
            // An empty value at the end of the message points to its end, which is never read.
            base.storeBytes(of: base + bytes, toByteOffset: place, as: UnsafeMutableRawPointer.self)
        } else {
            guard tag == PointerTag.shared, kind == OVL_KIND_BYTES else {
                throw WorkerRPCError(.malformed, "A view has no valid mark.")
            }
            let address = try mapShared(Int(size))
            base.storeBytes(of: address, toByteOffset: place, as: UnsafeRawPointer.self)
        }
    }

    func decodeTexts(_ place: Int) throws(WorkerRPCError) {
        guard try isHere(place) else { return }
        let stride = MemoryLayout<ovl_text>.stride
        let count = try elements(base.load(fromByteOffset: place + 8, as: UInt64.self), stride)
        let views = try take(count * stride)
        base.storeBytes(of: base + views, toByteOffset: place, as: UnsafeMutableRawPointer.self)
        for index in 0..<count { try decodeView(OVL_KIND_TEXT, views + index * stride) }
    }

    func decodeList(_ plan: RecordPlan, _ place: Int, _ importer: (any Importer)?) throws(WorkerRPCError) {
        guard try isHere(place) else { return }
        guard base.load(fromByteOffset: place + 16, as: UInt64.self) == UInt64(plan.room) else {
            throw WorkerRPCError(.malformed, "A list of \(plan.name) has a wrong stride.")
        }
        let count = try elements(base.load(fromByteOffset: place + 8, as: UInt64.self), plan.room)
        let rooms = try take(count * plan.room)
        base.storeBytes(of: base + rooms, toByteOffset: place, as: UnsafeMutableRawPointer.self)
        for index in 0..<count { try decode(record: plan, at: rooms + index * plan.room, importer) }
    }

    func decodePointer(_ plan: RecordPlan, _ place: Int, _ importer: (any Importer)?) throws(WorkerRPCError) {
        let tag = base.load(fromByteOffset: place, as: UInt64.self)
        guard tag != 0 else { return }
        guard plan.hasFunctions ? tag >= PointerTag.firstTable : tag == UInt64(PointerTag.here) else {
            throw WorkerRPCError(.malformed, "A pointer has no valid mark.")
        }
        let room = try take(plan.room)
        base.storeBytes(of: base + room, toByteOffset: place, as: UnsafeMutableRawPointer.self)
        try decode(record: plan, at: room, table: plan.hasFunctions ? tag : 0, importer)
    }

    private func decodeFunction(
        _ plan: RecordPlan, _ field: FieldPlan, _ place: Int, _ table: UInt64, _ importer: (any Importer)?
    ) {
        var code: UnsafeRawPointer?
        if base.load(fromByteOffset: place, as: UInt.self) != 0, table != 0, field.function >= 0,
            let function = plan.functions[field.function]
        {
            code = Callable.hasToken(function) ? function.code : Callable.notHere
        }
        base.storeBytes(of: code, toByteOffset: place, as: UnsafeRawPointer?.self)
    }

    private func isHere(_ place: Int) throws(WorkerRPCError) -> Bool {
        let tag = base.load(fromByteOffset: place, as: UInt.self)
        guard tag <= PointerTag.here else { throw WorkerRPCError(.malformed, "A list has no valid mark.") }
        return tag != 0
    }

    /// A number of elements of `size` bytes each, checked against the rest of the message.
    private func elements(_ count: UInt64, _ size: Int) throws(WorkerRPCError) -> Int {
        guard count <= UInt64(mostElements), Int(count) * size <= left else {
            throw WorkerRPCError(.malformed, "A list of \(count) elements does not fit its message.")
        }
        return Int(count)
    }
}
