import Diagnostics
import Glibc
import OverlayABI
import OverlayCalls

/// Assigns numbers to the objects in the arguments of a call.
protocol ArgumentExporter: Exporter {
    /// The number of a sink that the other side may call until the call has been answered.
    func export(sink: UnsafePointer<UInt8>, _ plan: RecordPlan) -> UInt64
    /// The number of an instance.
    func number(ofInstance pointer: UInt) -> UInt64
}

extension MessageWriter {
    /// Writes the arguments of a call: a word for each, then everything to which they refer.
    func encode(
        arguments function: FunctionPlan, _ values: UnsafePointer<UnsafeMutableRawPointer?>,
        _ exporter: any ArgumentExporter
    ) throws(WorkerRPCError) {
        let words = try reserve(function.arguments.count * 8)
        for index in 0..<function.arguments.count {
            let argument = function.arguments[index]
            let place = words + index * 8
            guard let value = values[index] else { throw WorkerRPCError(.breach, "An argument is missing.") }
            if argument.isOut {
                let cell = value.load(as: UnsafeRawPointer?.self)
                base.storeBytes(of: cell == nil ? 0 : 1, toByteOffset: place, as: UInt.self)
                guard let cell else { continue }
                let at = try reserve(8)
                base.storeBytes(of: 0, toByteOffset: at, as: UInt64.self)
                if let size = ArgumentPlan.bytes(of: argument.kind) { memcpy(base + at, cell, size) }
                continue
            }
            switch argument.kind {
            case OVL_KIND_I32, OVL_KIND_U32, OVL_KIND_STATUS:
                base.storeBytes(of: UInt64(value.load(as: UInt32.self)), toByteOffset: place, as: UInt64.self)
            case OVL_KIND_I64, OVL_KIND_U64, OVL_KIND_F64, OVL_KIND_FILE_ID:
                base.storeBytes(of: value.load(as: UInt64.self), toByteOffset: place, as: UInt64.self)
            case OVL_KIND_CONTEXT: base.storeBytes(of: 0, toByteOffset: place, as: UInt64.self)
            case OVL_KIND_INSTANCE:
                base.storeBytes(
                    of: exporter.number(ofInstance: value.load(as: UInt.self)), toByteOffset: place,
                    as: UInt64.self)
            default: try encode(pointer: value.load(as: UnsafeRawPointer?.self), argument, place, exporter)
            }
        }
    }

    /// Writes an argument that is passed by pointer to const.
    private func encode(
        pointer: UnsafeRawPointer?, _ argument: ArgumentPlan, _ place: Int, _ exporter: any ArgumentExporter
    ) throws(WorkerRPCError) {
        base.storeBytes(of: UnsafeRawPointer?.none, toByteOffset: place, as: UnsafeRawPointer?.self)
        guard let pointer else { return }
        switch argument.kind {
        case OVL_KIND_TEXT, OVL_KIND_BYTES, OVL_KIND_TEXTS:
            base.storeBytes(of: PointerTag.here, toByteOffset: place, as: UInt.self)
            let view = try reserve(MemoryLayout<ovl_text>.size)
            memcpy(base + view, pointer, MemoryLayout<ovl_text>.size)
            if argument.kind == OVL_KIND_TEXTS {
                try encodeTexts(view)
            } else {
                try encodeView(argument.kind, view)
            }
        case OVL_KIND_LIST:
            guard let record = argument.record else { return }
            base.storeBytes(of: PointerTag.here, toByteOffset: place, as: UInt.self)
            let view = try reserve(MemoryLayout<ovl_list>.size)
            memcpy(base + view, pointer, MemoryLayout<ovl_list>.size)
            let plan = record._withUnsafeGuaranteedRef { $0 }
            try encodeList(plan, view, exporter, of: "a list of \(plan.name)")
        case OVL_KIND_RECORD:
            guard let record = argument.record else { return }
            base.storeBytes(of: pointer, toByteOffset: place, as: UnsafeRawPointer.self)
            try encodePointer(record._withUnsafeGuaranteedRef { $0 }, place, exporter)
        case OVL_KIND_SINK:
            guard let record = argument.record else { return }
            let plan = record._withUnsafeGuaranteedRef { $0 }
            if let fault = fault(of: pointer, plan) {
                // A sink for an error that is not wanted need not be complete. It counts as absent.
                guard plan.name == "ovl_error_sink" else { throw fault }
                return
            }
            let number = exporter.export(sink: pointer.assumingMemoryBound(to: UInt8.self), plan)
            base.storeBytes(of: number, toByteOffset: place, as: UInt64.self)
            // The space in which the other side builds the sink.
            let room = try reserve(plan.room)
            memset(base + room, 0, plan.room)
        default: return
        }
    }

    /// Why the other side cannot call a sink, because its function is missing or not covered by `struct_size`; nil if
    /// it can.
    private func fault(of sink: UnsafeRawPointer, _ plan: RecordPlan) -> WorkerRPCError? {
        guard let put = plan.functions.first ?? nil else { return nil }
        let stated = Int(sink.loadUnaligned(as: UInt32.self))
        guard put.offset + MemoryLayout<UInt>.size <= stated else {
            return WorkerRPCError(
                .structSize,
                "The struct_size \(stated) of an \(plan.name) is too small: it must be sizeof(\(plan.name)).")
        }
        guard sink.load(fromByteOffset: put.offset, as: UnsafeRawPointer?.self) != nil else {
            return WorkerRPCError(
                .breach, "The function \(put.name) of an \(plan.name) is null: every sink needs one.")
        }
        return nil
    }
}
