import Diagnostics
import Glibc
import OverlayABI
import OverlayCalls

/// The C values of one recorded call, and its sinks; valid as long as this object exists.
final class ReplayMemory {
    /// The most bytes for one call, as in a message of a worker.
    static let largest = 1 << 30

    private var blocks: [UnsafeMutableRawPointer] = []
    private var tokens: [UInt] = []
    private var size = 0

    deinit {
        for block in blocks { block.deallocate() }
        for token in tokens { TokenTable.shared.remove(token) }
    }

    /// The context value that represents an object.
    func token(_ target: any CallTarget) -> UInt {
        let token = TokenTable.shared.add(target)
        tokens.append(token)
        return token
    }

    /// Zeroed memory.
    func allocate(_ size: Int) throws(TraceError) -> UnsafeMutableRawPointer {
        guard size <= Self.largest - self.size - 16 else {
            throw TraceDecoder.damaged("the values of one call need more than \(Self.largest >> 20) MiB")
        }
        let count = max((size + 15) & ~15, 16)
        self.size += count
        let block = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
        memset(block, 0, count)
        blocks.append(block)
        return block
    }

    /// The addresses of the arguments of a recorded call.
    ///
    /// - Parameters:
    ///   - first: the instance or context.
    ///   - sink: returns the sink for the argument with this index and number.
    func arguments(
        _ function: FunctionPlan, _ values: [TraceValue?], first: UInt,
        sink: (Int, UInt32) throws(TraceError) -> UnsafeRawPointer?
    ) throws(TraceError) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        let count = function.arguments.count
        let addresses = try allocate(max(count, 1) * 8).bindMemory(
            to: UnsafeMutableRawPointer?.self, capacity: count)
        let names = TraceShapes.argumentNames(function)
        for index in 0..<count {
            let argument = function.arguments[index]
            let cell = try allocate(8)
            addresses[index] = cell
            if argument.isOut {
                cell.storeBytes(of: try allocate(8), as: UnsafeMutableRawPointer.self)
                continue
            }
            guard index < values.count, let value = values[index] else { continue }
            switch (argument.kind, value) {
            case (OVL_KIND_CONTEXT, _), (OVL_KIND_INSTANCE, _): cell.storeBytes(of: first, as: UInt.self)
            case (OVL_KIND_SINK, .sink(let number)):
                let pointer = number == 0 ? nil : try sink(index, number)
                cell.storeBytes(of: pointer, as: UnsafeRawPointer?.self)
            case (_, .null): continue
            case (OVL_KIND_TEXT, _), (OVL_KIND_BYTES, _), (OVL_KIND_TEXTS, _), (OVL_KIND_LIST, _):
                let view = try allocate(24)
                try store(
                    value, argument.kind, argument.recordIndex, at: view,
                    index < names.count ? names[index] : "")
                cell.storeBytes(of: view, as: UnsafeMutableRawPointer.self)
            case (OVL_KIND_RECORD, .record(let record)):
                cell.storeBytes(of: try self.record(record), as: UnsafeMutableRawPointer.self)
            default: try store(value, argument.kind, -1, at: cell, "")
            }
        }
        return addresses
    }

    /// A record in its own memory.
    func record(_ value: TraceRecordValue) throws(TraceError) -> UnsafeMutableRawPointer {
        let place = try allocate(value.plan.room)
        try store(value, at: place)
        return place
    }

    private func store(_ value: TraceRecordValue, at place: UnsafeMutableRawPointer) throws(TraceError) {
        place.storeBytes(of: UInt32(min(Int(value.size), value.plan.size)), as: UInt32.self)
        let fields = TraceShapes.all[value.plan.index].fields
        for index in 0..<min(fields.count, value.values.count) {
            guard let field = value.values[index] else { continue }
            try store(
                field, fields[index].kind, fields[index].record, at: place + fields[index].offset,
                fields[index].name)
        }
    }

    private func store(
        _ value: TraceValue, _ kind: UInt32, _ record: Int, at place: UnsafeMutableRawPointer, _ name: String
    ) throws(TraceError) {
        switch value {
        case .signed(let number):
            if Self.isShort(kind) {
                place.storeBytes(of: Int32(truncatingIfNeeded: number), as: Int32.self)
            } else {
                place.storeBytes(of: number, as: Int64.self)
            }
        case .unsigned(let number):
            if Self.isShort(kind) {
                place.storeBytes(of: UInt32(truncatingIfNeeded: number), as: UInt32.self)
            } else {
                place.storeBytes(of: number, as: UInt64.self)
            }
        case .number(let number): place.storeBytes(of: number, as: Double.self)
        case .text(let bytes), .bytes(let bytes): try view(bytes, at: place, name)
        case .list(let values):
            if kind == OVL_KIND_TEXTS {
                let items = try allocate(values.count * MemoryLayout<ovl_text>.stride)
                for (index, value) in values.enumerated() {
                    try store(
                        value, OVL_KIND_TEXT, -1, at: items + index * MemoryLayout<ovl_text>.stride, name)
                }
                place.storeBytes(of: items, as: UnsafeMutableRawPointer.self)
                place.storeBytes(of: UInt64(values.count), toByteOffset: 8, as: UInt64.self)
            } else if TraceShapes.all.indices.contains(record) {
                let room = TraceShapes.all[record].plan.room
                let items = try allocate(values.count * room)
                for (index, value) in values.enumerated() {
                    guard case .record(let element) = value else { throw Self.missing(name) }
                    try store(element, at: items + index * room)
                }
                place.storeBytes(of: items, as: UnsafeMutableRawPointer.self)
                place.storeBytes(of: UInt64(values.count), toByteOffset: 8, as: UInt64.self)
                place.storeBytes(of: UInt64(room), toByteOffset: 16, as: UInt64.self)
            }
        case .record(let value): try store(value, at: place)
        case .impossible: throw Self.missing(name)
        case .null, .absent, .sink, .instance, .presence, .context: return
        }
    }

    private func view(_ bytes: TraceBytes, at place: UnsafeMutableRawPointer, _ name: String)
        throws(TraceError)
    {
        guard bytes.isWhole else {
            throw TraceError(
                .notRecorded,
                "Only \(bytes.kept.count) of \(bytes.size) bytes of \(name) were recorded.",
                hint: "Record again with --trace-contents.")
        }
        let memory = try allocate(bytes.kept.count)
        memory.copyMemory(from: bytes.kept, byteCount: bytes.kept.count)
        place.storeBytes(of: memory, as: UnsafeMutableRawPointer.self)
        place.storeBytes(of: UInt64(bytes.kept.count), toByteOffset: 8, as: UInt64.self)
    }

    private static func missing(_ name: String) -> TraceError {
        TraceError(.notRecorded, "\(name) had an invalid size and was not recorded.")
    }

    static func isShort(_ kind: UInt32) -> Bool {
        kind == OVL_KIND_I32 || kind == OVL_KIND_U32 || kind == OVL_KIND_STATUS || kind == OVL_KIND_FLAGS
    }
}
