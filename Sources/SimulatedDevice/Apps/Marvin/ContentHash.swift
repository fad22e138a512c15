import Platform

/// The simulated Marvin's name for a book's content, 32 hexadecimal digits.
///
/// The real app's algorithm is unknown and of no importance to a host: the hash only names the cover files. This is
/// FNV-1a over the content, twice with different beginnings.
struct ContentHash {
    private var first = FNV1a()
    private var second = FNV1a(beginning: 0x8422_2325_CBF2_9CE4)

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            first.add(byte)
            second.add(byte)
        }
    }

    /// The bits that follow colours and made-up ids.
    var seed: UInt64 { first.value }

    var text: String { Hex.text(first.value) + Hex.text(second.value ^ first.value >> 7) }

    /// A uuid of version 4 and the usual variant, made of the same bits.
    var uuid: String {
        var digits = Array(text)
        digits[12] = "4"
        digits[16] = "a"
        let parts = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return parts.map { String($0) }.joined(separator: "-")
    }
}
