import Diagnostics
import Glibc
import OverlayABI
import OverlayCalls

/// Makes the objects in the arguments of a call usable.
protocol ArgumentImporter: Importer {
    /// The context value for a sink with this number.
    func context(ofSink number: UInt64, _ plan: RecordPlan) -> UInt
    /// The instance with this number; nil if there is none.
    func instance(_ number: UInt64) -> UInt?
    /// Keeps the memory of the message until the connection ends, because it contains a table.
    func keep(_ message: ReceivedMessage)
}

extension ReceivedMessage {
    /// Decodes the arguments of a call. `values` receives the address of each, for libffi; `context` is the
    /// function's own context.
    func decode(
        arguments function: FunctionPlan, context: UInt,
        into values: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ importer: any ArgumentImporter
    ) throws(WorkerRPCError) {
        let words = try take(function.arguments.count * 8)
        for index in 0..<function.arguments.count {
            let argument = function.arguments[index]
            let place = words + index * 8
            values[index] = base + place
            let word = base.load(fromByteOffset: place, as: UInt64.self)
            if argument.isOut {
                guard word != 0 else { continue }
                let cell = try take(8)
                base.storeBytes(of: base + cell, toByteOffset: place, as: UnsafeMutableRawPointer.self)
                continue
            }
            switch argument.kind {
            case OVL_KIND_I32, OVL_KIND_U32, OVL_KIND_STATUS, OVL_KIND_I64, OVL_KIND_U64, OVL_KIND_F64,
                OVL_KIND_FILE_ID:
                continue
            case OVL_KIND_CONTEXT: base.storeBytes(of: context, toByteOffset: place, as: UInt.self)
            case OVL_KIND_INSTANCE:
                guard let instance = importer.instance(word) else {
                    throw WorkerRPCError(.malformed, "A call is for an instance that does not exist.")
                }
                base.storeBytes(of: instance, toByteOffset: place, as: UInt.self)
            case OVL_KIND_TEXT, OVL_KIND_BYTES, OVL_KIND_TEXTS, OVL_KIND_LIST:
                guard word != 0 else { continue }
                try decode(view: argument, place, importer)
            case OVL_KIND_RECORD:
                guard let record = argument.record else { continue }
                try decodePointer(record._withUnsafeGuaranteedRef { $0 }, place, importer)
                if word != 0, record._withUnsafeGuaranteedRef({ $0.hasFunctions }) { importer.keep(self) }
            default:
                guard word != 0, let record = argument.record else { continue }
                try decode(sink: word, record._withUnsafeGuaranteedRef { $0 }, place, importer)
            }
        }
    }

    private func decode(view argument: ArgumentPlan, _ place: Int, _ importer: any ArgumentImporter)
        throws(WorkerRPCError)
    {
        let isList = argument.kind == OVL_KIND_LIST
        let view = try take(isList ? MemoryLayout<ovl_list>.size : MemoryLayout<ovl_text>.size)
        base.storeBytes(of: base + view, toByteOffset: place, as: UnsafeMutableRawPointer.self)
        if isList, let record = argument.record {
            try decodeList(record._withUnsafeGuaranteedRef { $0 }, view, importer)
        } else if argument.kind == OVL_KIND_TEXTS {
            try decodeTexts(view)
        } else {
            try decodeView(argument.kind, view)
        }
    }

    /// Builds a sink that sends what is put into it to the other side.
    private func decode(
        sink number: UInt64, _ plan: RecordPlan, _ place: Int, _ importer: any ArgumentImporter
    )
        throws(WorkerRPCError)
    {
        let room = try take(plan.room)
        memset(base + room, 0, plan.room)
        base.storeBytes(of: UInt32(plan.size), toByteOffset: room, as: UInt32.self)
        for field in plan.fields where field.end <= plan.size {
            if field.kind == OVL_KIND_CONTEXT {
                base.storeBytes(
                    of: importer.context(ofSink: number, plan), toByteOffset: room + field.offset,
                    as: UInt.self)
            } else if field.kind == OVL_KIND_FUNCTION, field.function >= 0 {
                base.storeBytes(
                    of: plan.functions[field.function]?.code, toByteOffset: room + field.offset,
                    as: UnsafeRawPointer?.self)
            }
        }
        base.storeBytes(of: base + room, toByteOffset: place, as: UnsafeMutableRawPointer.self)
    }
}
