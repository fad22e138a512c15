import Platform

/// The simulated Marvin's identifier for the content of a book, 32 hexadecimal digits.
///
/// The real app's algorithm is unknown and does not matter to a host, because the hash only names the cover files.
/// This one is FNV-1a over the content, run twice with different initial values.
struct ContentHash {
    private var first = FNV1a()
    private var second = FNV1a(beginning: 0x8422_2325_CBF2_9CE4)

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            first.add(byte)
            second.add(byte)
        }
    }

    /// The bits from which colors and synthetic ids are derived.
    var seed: UInt64 { first.value }

    var text: String { Hex.text(first.value) + Hex.text(second.value ^ first.value >> 7) }

    /// A version 4 UUID of the usual variant, derived from the same bits.
    var uuid: String {
        var digits = Array(text)
        digits[12] = "4"
        digits[16] = "a"
        let parts = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return parts.map { String($0) }.joined(separator: "-")
    }
}
