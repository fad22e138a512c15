import Glibc
import OverlayABI
import OverlayCalls

/// A table of the host that answers from a recording. It exists as long as its player.
///
/// Unchecked: the memory is written once, before an overlay sees it.
final class ReplayTable: CallTarget, @unchecked Sendable {
    let pointer: UnsafeRawPointer
    private let memory: UnsafeMutableRawPointer
    private unowned let player: ReplayPlayer
    private var token: UInt = 0

    /// - Parameter contents: the content of the table besides its functions, of the size of the plan; nil for none.
    init(_ plan: RecordPlan, _ player: ReplayPlayer, contents: UnsafeRawPointer? = nil) {
        self.player = player
        memory = .allocate(byteCount: max(plan.room, 16), alignment: 16)
        memset(memory, 0, max(plan.room, 16))
        if let contents { memcpy(memory, contents, plan.size) }
        memory.storeBytes(of: UInt32(plan.size), as: UInt32.self)
        pointer = UnsafeRawPointer(memory)
        token = TokenTable.shared.add(self)
        ReplayTable.fill(memory, plan, token)
    }

    deinit { memory.deallocate() }

    func close() { TokenTable.shared.remove(token) }

    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        player.answer(function, sink: nil, arguments, result)
    }

    /// Fills the slots of a table or sink with functions that call the object behind `token`.
    static func fill(_ memory: UnsafeMutableRawPointer, _ plan: RecordPlan, _ token: UInt) {
        for field in TraceShapes.all[plan.index].fields where field.end <= plan.size {
            if field.kind == OVL_KIND_CONTEXT {
                memory.storeBytes(of: token, toByteOffset: field.offset, as: UInt.self)
            } else if field.kind == OVL_KIND_FUNCTION, field.function >= 0 {
                memory.storeBytes(
                    of: plan.functions[field.function]?.code, toByteOffset: field.offset,
                    as: UnsafeRawPointer?.self)
            }
        }
    }
}

/// A sink of the host that compares what is put into it with a recording.
final class ReplaySink: CallTarget {
    private unowned let player: ReplayPlayer
    /// Its number in the recording.
    private let number: UInt32

    init(_ player: ReplayPlayer, _ number: UInt32) {
        self.player = player
        self.number = number
    }

    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        player.answer(function, sink: number, arguments, result)
    }
}
