import Glibc
import OverlayABI
import OverlayCalls
import Platform

/// Encodes values of the contract for recordings.
///
/// It reads the caller's memory before that has been checked, so impossible sizes are recorded but not followed.
struct TraceEncoder {
    let space: RecordBuffer
    let limits: TraceLimits

    @inline(__always)
    func word8(_ value: UInt8) {
        guard space.has(1) else { return }
        space.base.storeBytes(of: value, toByteOffset: space.count, as: UInt8.self)
        space.count += 1
    }

    @inline(__always)
    func word32(_ value: UInt32) {
        guard space.has(4) else { return }
        (space.base + space.count).storeBytes(of: value.littleEndian, as: UInt32.self)
        space.count += 4
    }

    @inline(__always)
    func word64(_ value: UInt64) {
        guard space.has(8) else { return }
        (space.base + space.count).storeBytes(of: value.littleEndian, as: UInt64.self)
        space.count += 8
    }

    @inline(__always)
    func bytes(_ data: UnsafeRawPointer, _ size: Int) {
        guard space.has(size) else { return }
        memcpy(space.base + space.count, data, size)
        space.count += size
    }

    /// A text of this program.
    func text(_ text: String) {
        var text = text
        text.withUTF8 { view($0.baseAddress.map { UnsafeRawPointer($0) }, UInt64($0.count), limits.text) }
    }

    /// Writes zeros up to a multiple of 8.
    func align() {
        while space.count & 7 != 0, space.has(1) { word8(0) }
    }

    // MARK: values

    /// A text or bytes.
    @inline(__always)
    func view(_ data: UnsafeRawPointer?, _ size: UInt64, _ limit: UInt64) {
        guard let data else { return word32(0) }
        guard size <= limit else { return cut(data, size, limit) }
        word32(UInt32(truncatingIfNeeded: size) + 1)
        bytes(data, Int(size))
    }

    @inline(never)
    private func cut(_ data: UnsafeRawPointer, _ size: UInt64, _ limit: UInt64) {
        guard size <= TraceLimits.largestValue else {
            word32(TraceFormat.impossible)
            return word64(size)
        }
        word32(TraceFormat.cut)
        word64(size)
        word32(UInt32(truncatingIfNeeded: limit))
        bytes(data, Int(limit))
        // All zeros mean that there is no digest.
        let digest =
            Digest.of(UnsafeRawBufferPointer(start: data, count: Int(size)), .sha256)
            ?? [UInt8](repeating: 0, count: TraceFormat.digestSize)
        bytes(digest, digest.count)
    }

    @inline(__always)
    private func view(at place: UnsafeRawPointer, _ limit: UInt64) {
        view(
            place.loadUnaligned(as: UnsafeRawPointer?.self),
            place.loadUnaligned(fromByteOffset: 8, as: UInt64.self), limit)
    }

    private func texts(at place: UnsafeRawPointer) {
        guard let items = place.loadUnaligned(as: UnsafeRawPointer?.self) else { return word32(0) }
        let count = place.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        guard count <= TraceLimits.longestList else {
            word32(TraceFormat.impossible)
            return word64(count)
        }
        word32(UInt32(count) + 1)
        for index in 0..<Int(count) {
            view(at: items + index * MemoryLayout<ovl_text>.stride, limits.text)
        }
    }

    private func list(at place: UnsafeRawPointer, _ record: Int) {
        guard let items = place.loadUnaligned(as: UnsafeRawPointer?.self) else { return word32(0) }
        let count = place.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        let stride = place.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        guard count <= TraceLimits.longestList,
            count == 0 || (stride >= 8 && stride <= UInt64(TraceLimits.largestRecord)), record >= 0
        else {
            word32(TraceFormat.impossible)
            return word64(count)
        }
        word32(UInt32(count) + 1)
        for index in 0..<Int(count) {
            self.record(items + index * Int(stride), record, available: Int(stride))
            if space.isFull { return }
        }
    }

    /// Writes a record: its `struct_size`, then the fields that it has and this program knows.
    func record(_ source: UnsafeRawPointer, _ index: Int, available: Int) {
        let stated = Int(source.loadUnaligned(as: UInt32.self))
        guard stated <= min(available, TraceLimits.largestRecord) else {
            word32(TraceFormat.impossible)
            return word64(UInt64(stated))
        }
        word32(UInt32(stated))
        for field in TraceShapes.all[index].fields where field.end <= stated {
            let place = source + field.offset
            switch field.kind {
            case OVL_KIND_TEXT: view(at: place, limits.text)
            case OVL_KIND_BYTES: view(at: place, limits.bytes)
            case OVL_KIND_I32, OVL_KIND_U32, OVL_KIND_STATUS, OVL_KIND_FLAGS:
                word32(place.loadUnaligned(as: UInt32.self))
            case OVL_KIND_I64, OVL_KIND_U64, OVL_KIND_F64, OVL_KIND_FILE_ID:
                word64(place.loadUnaligned(as: UInt64.self))
            case OVL_KIND_TEXTS: texts(at: place)
            case OVL_KIND_LIST: list(at: place, field.record)
            case OVL_KIND_RECORD:
                if field.record >= 0 { record(place, field.record, available: stated - field.offset) }
            case OVL_KIND_FUNCTION, OVL_KIND_TABLE, OVL_KIND_SINK:
                word8(place.loadUnaligned(as: UInt.self) == 0 ? 0 : 1)
            default: continue
            }
        }
    }

    // MARK: calls

    /// Writes the arguments from the caller.
    ///
    /// - Parameters:
    ///   - sinks: the number of each sink, by the index of its argument.
    ///   - instance: the number of the instance.
    func arguments(
        _ function: FunctionPlan, _ values: UnsafePointer<UnsafeMutableRawPointer?>,
        sinks: UnsafePointer<UInt32>, instance: UInt32
    ) {
        for index in 0..<function.arguments.count {
            let argument = function.arguments[index]
            guard !argument.isOut, let value = values[index] else { continue }
            switch argument.kind {
            case OVL_KIND_I32, OVL_KIND_U32, OVL_KIND_STATUS: word32(value.load(as: UInt32.self))
            case OVL_KIND_I64, OVL_KIND_U64, OVL_KIND_F64, OVL_KIND_FILE_ID:
                word64(value.load(as: UInt64.self))
            case OVL_KIND_SINK: word32(sinks[index])
            case OVL_KIND_INSTANCE: word32(instance)
            case OVL_KIND_CONTEXT: continue
            default:
                guard let pointer = value.load(as: UnsafeRawPointer?.self) else {
                    word8(0)
                    continue
                }
                word8(1)
                switch argument.kind {
                case OVL_KIND_TEXT: view(at: pointer, limits.text)
                case OVL_KIND_BYTES: view(at: pointer, limits.bytes)
                case OVL_KIND_TEXTS: texts(at: pointer)
                case OVL_KIND_LIST: list(at: pointer, argument.recordIndex)
                case OVL_KIND_RECORD:
                    let record = argument.recordIndex
                    if record >= 0 { self.record(pointer, record, available: .max) }
                default: continue
                }
            }
        }
    }

    /// Writes the result, and what the callee has written.
    func results(
        _ function: FunctionPlan, _ values: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeRawPointer, instance: UInt32
    ) {
        switch function.result {
        case OVL_KIND_VOID: break
        case OVL_KIND_TABLE: word8(result.load(as: UInt.self) == 0 ? 0 : 1)
        case OVL_KIND_I32, OVL_KIND_U32, OVL_KIND_STATUS:
            word32(UInt32(truncatingIfNeeded: result.load(as: UInt64.self)))
        default: word64(result.load(as: UInt64.self))
        }
        for index in 0..<function.arguments.count where function.arguments[index].isOut {
            guard let cell = values[index]?.load(as: UnsafeRawPointer?.self) else {
                word8(0)
                continue
            }
            word8(1)
            switch function.arguments[index].kind {
            case OVL_KIND_INSTANCE: word32(instance)
            case OVL_KIND_I32, OVL_KIND_U32, OVL_KIND_STATUS: word32(cell.load(as: UInt32.self))
            default: word64(cell.load(as: UInt64.self))
            }
        }
    }
}

extension ArgumentPlan {
    /// The index of the plan of its element, record or sink; -1 if it has none.
    var recordIndex: Int { record?._withUnsafeGuaranteedRef { $0.index } ?? -1 }
}
