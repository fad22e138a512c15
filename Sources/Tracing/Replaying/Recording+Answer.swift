import OverlayCalls
import OverlayABI

extension Recording.Call {
    /// Gives the recorded result and written values to a caller that makes the same call. A result that was not
    /// recorded is zero.
    ///
    /// - Parameters:
    ///   - arguments: the address of each argument.
    ///   - result: space for 8 bytes.
    ///   - table: makes the table that the call returned.
    func answer(
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer,
        table: () -> UnsafeRawPointer?
    ) {
        for (index, value) in written.enumerated() where index < function.arguments.count {
            guard function.arguments[index].isOut, let value, let bits = Self.bits(value),
                let cell = arguments[index]?.load(as: UnsafeMutableRawPointer?.self)
            else { continue }
            if ReplayMemory.isShort(function.arguments[index].kind) {
                cell.storeBytes(of: UInt32(truncatingIfNeeded: bits), as: UInt32.self)
            } else {
                cell.storeBytes(of: bits, as: UInt64.self)
            }
        }
        guard function.result == OVL_KIND_TABLE else {
            return function.store(self.result.flatMap(Self.bits) ?? 0, result)
        }
        result.storeBytes(
            of: self.result == .presence(true) ? table() : nil, as: UnsafeRawPointer?.self)
    }

    /// A number in its memory representation; nil for any other value.
    private static func bits(_ value: TraceValue) -> UInt64? {
        switch value {
        case .signed(let number): UInt64(bitPattern: number)
        case .unsigned(let number): number
        case .number(let number): number.bitPattern
        default: nil
        }
    }
}
