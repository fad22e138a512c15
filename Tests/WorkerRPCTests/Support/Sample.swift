import OverlayABI
import TestSupport

@testable import WorkerRPC

/// Memory for generated values, which is freed together.
final class SampleMemory {
    private var blocks: [UnsafeMutableRawPointer] = []

    deinit { for block in blocks { block.deallocate() } }

    func allocate(_ size: Int) -> UnsafeMutableRawPointer {
        let block = UnsafeMutableRawPointer.allocate(byteCount: max(size, 8), alignment: 16)
        block.initializeMemory(as: UInt8.self, repeating: 0, count: max(size, 8))
        blocks.append(block)
        return block
    }
}

/// Makes values of every kind of the contract from a seed, as an overlay or host of any minor version might pass
/// them.
struct Sample {
    var random: SeededGenerator
    let memory: SampleMemory
    /// The size of the largest texts and bytes.
    var largest = 300

    /// A sink with a size and a function that is not called.
    func sink() -> UnsafeMutableRawPointer {
        let sink = memory.allocate(64)
        sink.storeBytes(of: 64, as: UInt32.self)
        sink.storeBytes(of: 8, toByteOffset: 16, as: UInt.self)
        return sink
    }

    init(seed: UInt64, memory: SampleMemory) {
        random = SeededGenerator(seed: seed)
        self.memory = memory
    }

    private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

    mutating func bytes(at view: UnsafeMutableRawPointer) {
        guard !chance(4) else { return }
        let size = chance(8) ? 0 : chance(10) ? largest * 40 : Int.random(in: 0...largest, using: &random)
        let data = memory.allocate(size)
        for index in 0..<size {
            data.storeBytes(
                of: UInt8.random(in: 0...255, using: &random), toByteOffset: index, as: UInt8.self)
        }
        view.storeBytes(of: data, as: UnsafeMutableRawPointer.self)
        view.storeBytes(of: UInt64(size), toByteOffset: 8, as: UInt64.self)
    }

    mutating func texts(at view: UnsafeMutableRawPointer) {
        guard !chance(4) else { return }
        let count = Int.random(in: 0...5, using: &random)
        let items = memory.allocate(count * 16)
        for index in 0..<count { bytes(at: items + index * 16) }
        view.storeBytes(of: items, as: UnsafeMutableRawPointer.self)
        view.storeBytes(of: UInt64(count), toByteOffset: 8, as: UInt64.self)
    }

    mutating func list(of record: ovl_sig_record, at view: UnsafeMutableRawPointer) {
        guard !chance(4) else { return }
        let count = Int.random(in: 0...4, using: &random)
        let stride = (Int(record.size) + 7) & ~7 + 8 * Int.random(in: 0...3, using: &random)
        let items = memory.allocate(count * stride)
        for index in 0..<count { fill(record, at: items + index * stride, room: stride) }
        view.storeBytes(of: items, as: UnsafeMutableRawPointer.self)
        view.storeBytes(of: UInt64(count), toByteOffset: 8, as: UInt64.self)
        view.storeBytes(of: UInt64(stride), toByteOffset: 16, as: UInt64.self)
    }

    /// A record in new memory: mostly of this version, sometimes of an older or a newer one.
    mutating func record(_ record: ovl_sig_record) -> UnsafeMutableRawPointer {
        let room = Int(record.size) + 64
        let place = memory.allocate(room)
        fill(record, at: place, room: room)
        return place
    }

    mutating func fill(
        _ record: ovl_sig_record, at place: UnsafeMutableRawPointer, room: Int, canVary: Bool = true
    ) {
        var size = Int(record.size)
        if canVary, chance(4), record.field_count > 2 {
            let last = record.fields[Int.random(in: 1..<Int(record.field_count), using: &random)]
            size = Int(last.offset + last.size)
        } else if canVary, chance(4) {
            size = min(room, size + 8 * Int.random(in: 0...8, using: &random))
            for index in Int(record.size)..<max(size, Int(record.size)) {
                place.storeBytes(of: 0xA5, toByteOffset: index, as: UInt8.self)
            }
        }
        for index in 0..<Int(record.field_count) {
            let field = record.fields[index]
            guard Int(field.offset + field.size) <= size else { break }
            let at = place + Int(field.offset)
            switch field.kind {
            case OVL_KIND_STRUCT_SIZE: at.storeBytes(of: UInt32(size), as: UInt32.self)
            case OVL_KIND_TEXT, OVL_KIND_BYTES: bytes(at: at)
            case OVL_KIND_TEXTS: texts(at: at)
            case OVL_KIND_LIST: if let element = field.record { list(of: element.pointee, at: at) }
            case OVL_KIND_RECORD:
                // A nested record has the version of the outer record.
                if let inner = field.record {
                    fill(inner.pointee, at: at, room: Int(field.size), canVary: false)
                }
            case OVL_KIND_CONTEXT, OVL_KIND_FUNCTION, OVL_KIND_TABLE: continue
            default:
                for byte in 0..<Int(field.size) {
                    at.storeBytes(
                        of: UInt8.random(in: 0...255, using: &random), toByteOffset: byte, as: UInt8.self)
                }
            }
        }
    }
}
