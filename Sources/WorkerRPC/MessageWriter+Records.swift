import Diagnostics
import Glibc
import OverlayABI
import OverlayCalls

/// Assigns numbers to objects that stay on this side, so that the other side can refer to them.
protocol Exporter: AnyObject {
    /// The number of a table that the other side may call from now on.
    func export(table: UnsafeRawPointer, _ plan: RecordPlan) throws(WorkerRPCError) -> UInt64
}

/// How the pointer in a value is written: 0 for null, otherwise one of these tags or the number of a table.
enum PointerTag {
    static let here: UInt = 1
    static let shared: UInt = 2
    static let firstTable: UInt64 = 16
}

extension MessageWriter {
    /// Copies the record at `source` to its reserved space at `place`, and appends the values that it refers to at
    /// the end.
    ///
    /// The record's own `struct_size` determines which part of it exists. Fields that this program does not know are
    /// left out, and fields that the record does not have are zero.
    /// - Parameter available: the most bytes that may belong to the record, such as the stride of its list.
    func encode(
        record plan: RecordPlan, from source: UnsafeRawPointer, at place: Int, available: Int,
        _ exporter: (any Exporter)?
    ) throws(WorkerRPCError) {
        let stated = Int(source.loadUnaligned(as: UInt32.self))
        guard stated <= available else {
            throw WorkerRPCError(
                .structSize,
                "The struct_size \(stated) of an \(plan.name) is larger than the \(available) bytes it has there: "
                    + "it must be sizeof(\(plan.name)).")
        }
        let size = min(stated, plan.size)
        let copied = max(size, 4)
        memcpy(base + place, source, copied)
        if plan.size > copied { memset(base + place + copied, 0, plan.size - copied) }
        if stated > size { base.storeBytes(of: UInt32(size), toByteOffset: place, as: UInt32.self) }
        for field in plan.fields {
            let at = place + field.offset
            if field.kind == OVL_KIND_RECORD, field.offset + 4 <= size, let record = field.record {
                try encode(
                    record: record._withUnsafeGuaranteedRef { $0 }, from: source + field.offset, at: at,
                    available: stated - field.offset, exporter)
                continue
            }
            guard field.end <= size else {
                // A field that exists only in part counts as missing.
                memset(base + at, 0, field.size)
                continue
            }
            switch field.kind {
            case OVL_KIND_TEXT, OVL_KIND_BYTES: try encodeView(field.kind, at)
            case OVL_KIND_TEXTS: try encodeTexts(at)
            case OVL_KIND_LIST:
                guard let record = field.record else { continue }
                try encodeList(
                    record._withUnsafeGuaranteedRef { $0 }, at, exporter,
                    of: "\(plan.name).\(plan.fieldName(at: field.offset))")
            case OVL_KIND_FUNCTION:
                let isThere = base.load(fromByteOffset: at, as: UInt.self) != 0 && field.function >= 0
                base.storeBytes(of: isThere ? 1 : 0, toByteOffset: at, as: UInt.self)
            case OVL_KIND_TABLE:
                guard let record = field.record else { continue }
                try encodePointer(record._withUnsafeGuaranteedRef { $0 }, at, exporter)
            default: base.storeBytes(of: 0, toByteOffset: at, as: UInt.self)
            }
        }
    }

    /// Encodes a text or bytes; the view has been copied to `place`.
    @inline(__always)
    func encodeView(_ kind: UInt32, _ place: Int) throws(WorkerRPCError) {
        guard let data = base.load(fromByteOffset: place, as: UnsafeRawPointer?.self) else { return }
        let size = base.load(fromByteOffset: place + 8, as: UInt64.self)
        guard size <= UInt64(limits.shared) else {
            throw WorkerRPCError(.breach, "A text or value of \(size) bytes is not possible.")
        }
        if kind == OVL_KIND_BYTES, isShared(Int(size)) {
            base.storeBytes(of: PointerTag.shared, toByteOffset: place, as: UInt.self)
            return try share(data, Int(size))
        }
        base.storeBytes(of: PointerTag.here, toByteOffset: place, as: UInt.self)
        try append(data, Int(size))
    }

    func encodeTexts(_ place: Int) throws(WorkerRPCError) {
        guard let items = base.load(fromByteOffset: place, as: UnsafeRawPointer?.self) else { return }
        let count = try elements(base.load(fromByteOffset: place + 8, as: UInt64.self))
        base.storeBytes(of: PointerTag.here, toByteOffset: place, as: UInt.self)
        let views = try reserve(count * MemoryLayout<ovl_text>.stride)
        guard count > 0 else { return }
        memcpy(base + views, items, count * MemoryLayout<ovl_text>.stride)
        for index in 0..<count {
            try encodeView(OVL_KIND_TEXT, views + index * MemoryLayout<ovl_text>.stride)
        }
    }

    /// Encodes a list of records; the view has been copied to `place`.
    ///
    /// - Parameter list: the name of the list for errors.
    func encodeList(
        _ plan: RecordPlan, _ place: Int, _ exporter: (any Exporter)?,
        of list: @autoclosure () -> String
    ) throws(WorkerRPCError) {
        guard let items = base.load(fromByteOffset: place, as: UnsafeRawPointer?.self) else { return }
        let count = try elements(base.load(fromByteOffset: place + 8, as: UInt64.self))
        let stride = base.load(fromByteOffset: place + 16, as: UInt64.self)
        base.storeBytes(of: PointerTag.here, toByteOffset: place, as: UInt.self)
        base.storeBytes(of: UInt64(plan.room), toByteOffset: place + 16, as: UInt64.self)
        guard count > 0 else { return }
        guard stride >= 8, stride % 8 == 0, stride <= 1 << 20 else {
            throw WorkerRPCError(
                .stride,
                "The stride \(stride) of \(list()) is wrong: it must be sizeof(\(plan.name)), a multiple of 8."
            )
        }
        let first = items.loadUnaligned(as: UInt32.self)
        guard first <= stride else {
            throw WorkerRPCError(
                .stride,
                "The stride \(stride) of \(list()) is smaller than the struct_size \(first) of its first "
                    + "record: both must be sizeof(\(plan.name)).")
        }
        let rooms = try reserve(plan, count: count)
        for index in 0..<count {
            try encode(
                record: plan, from: items + index * Int(stride), at: rooms + index * plan.room,
                available: Int(stride), exporter)
        }
    }

    /// Encodes a record behind a pointer, which has been copied to `place`.
    func encodePointer(_ plan: RecordPlan, _ place: Int, _ exporter: (any Exporter)?) throws(WorkerRPCError) {
        guard let pointer = base.load(fromByteOffset: place, as: UnsafeRawPointer?.self) else { return }
        var tag = UInt64(PointerTag.here)
        if plan.hasFunctions {
            guard let exporter else { throw WorkerRPCError(.breach, "A table is not expected here.") }
            tag = try exporter.export(table: pointer, plan)
        }
        base.storeBytes(of: tag, toByteOffset: place, as: UInt64.self)
        let room = try reserve(plan)
        try encode(record: plan, from: pointer, at: room, available: .max, exporter)
    }

    private func elements(_ count: UInt64) throws(WorkerRPCError) -> Int {
        guard count <= UInt64(limits.elements) else {
            throw WorkerRPCError(.breach, "A list of \(count) elements is not possible.")
        }
        return Int(count)
    }
}
