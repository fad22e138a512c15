import Platform

/// The simulated Marvin's name for a book's content, 32 hexadecimal digits.
///
/// The real app's algorithm is unknown and of no importance to a host: the hash only names the cover files. This is
/// FNV-1a over the content, twice with different beginnings.
struct ContentHash {
    private var first: UInt64 = 0xCBF2_9CE4_8422_2325
    private var second: UInt64 = 0x8422_2325_CBF2_9CE4

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            first = (first ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            second = (second ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
    }

    /// The bits that follow colours and made-up ids.
    var seed: UInt64 { first }

    var text: String { Hex.text(first) + Hex.text(second ^ first >> 7) }

    /// A uuid of version 4 and the usual variant, made of the same bits.
    var uuid: String {
        var digits = Array(text)
        digits[12] = "4"
        digits[16] = "a"
        let parts = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return parts.map { String($0) }.joined(separator: "-")
    }
}
