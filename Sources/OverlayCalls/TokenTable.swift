import Synchronization

/// The tokens that foreign code gets as contexts and instances, with their objects.
///
/// A token is not an address. If it is used after its object is gone, it does not refer to freed memory.
package final class TokenTable: Sendable {
    private struct Slot {
        var generation: UInt32 = 1
        var target: (any CallTarget)?
    }

    private struct State {
        var slots: [Slot] = []
        var free: [Int] = []
    }

    private let state = Mutex(State())

    /// The tokens of this program.
    package static let shared = TokenTable()

    /// Creates a token for an object, which is kept until the token is removed. Never 0, and a multiple of 8.
    package func add(_ target: any CallTarget) -> UInt {
        state.withLock { state in
            let index: Int
            if let free = state.free.popLast() {
                index = free
            } else {
                index = state.slots.count
                state.slots.append(Slot())
            }
            state.slots[index].target = target
            return Self.token(index, state.slots[index].generation)
        }
    }

    /// Removes a token.
    package func remove(_ token: UInt) {
        let target = state.withLock { state -> (any CallTarget)? in
            guard let index = Self.index(token, state) else { return nil }
            defer {
                state.slots[index].target = nil
                state.slots[index].generation = (state.slots[index].generation &+ 1) & 0xFF_FFFF
                state.free.append(index)
            }
            return state.slots[index].target
        }
        withExtendedLifetime(target) {}
    }

    /// The object of a token; nil after the token was removed.
    package func target(_ token: UInt) -> (any CallTarget)? {
        state.withLock { state in Self.index(token, state).flatMap { state.slots[$0].target } }
    }

    // Bits 0 to 2 are zero, 3 to 34 contain the index, 35 to 58 the generation, and 59 is set.
    private static func token(_ index: Int, _ generation: UInt32) -> UInt {
        1 << 59 | UInt(generation) << 35 | UInt(index) << 3
    }

    private static func index(_ token: UInt, _ state: State) -> Int? {
        guard token & 7 == 0, token >> 59 == 1 else { return nil }
        let index = Int((token >> 3) & 0xFFFF_FFFF)
        let generation = UInt32((token >> 35) & 0xFF_FFFF)
        guard index < state.slots.count, state.slots[index].generation == generation,
            state.slots[index].target != nil
        else { return nil }
        return index
    }
}
