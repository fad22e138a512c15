/// Finds a record by the bytes of its name: a hash table of places, keyed with the process's random seed so that a hostile
/// archive cannot make names collide.
struct ZipNameIndex: Sendable {
    private var slots: [UInt32]
    private let mask: Int
    private static let empty = UInt32.max

    /// A table with room for `count` names, at most half full.
    init(count: Int) {
        var size = 8
        while size < count * 2 { size *= 2 }
        slots = Array(repeating: Self.empty, count: size)
        mask = size - 1
    }

    /// The place of a name; `isName` tells whether the record at a place has it.
    func place(of name: UnsafeRawBufferPointer, isName: (Int) -> Bool) -> Int? {
        let slot = self.slot(of: name, isName: isName)
        return slots[slot] == Self.empty ? nil : Int(slots[slot])
    }

    /// Enters a name unless it is there already, and says whether it was entered.
    mutating func enter(_ name: UnsafeRawBufferPointer, place: Int, isName: (Int) -> Bool) -> Bool {
        let slot = self.slot(of: name, isName: isName)
        guard slots[slot] == Self.empty else { return false }
        slots[slot] = UInt32(truncatingIfNeeded: place)
        return true
    }

    private func slot(of name: UnsafeRawBufferPointer, isName: (Int) -> Bool) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: name)
        var slot = hasher.finalize() & mask
        while slots[slot] != Self.empty, !isName(Int(slots[slot])) { slot = (slot + 1) & mask }
        return slot
    }
}
