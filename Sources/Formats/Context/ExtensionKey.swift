/// An extension of at most 16 bytes in lower case, packed into two words, so that comparing is one instruction each.
struct ExtensionKey: Equatable {
    /// The first eight bytes.
    let low: UInt64
    /// The next eight.
    let high: UInt64

    /// The key of a hint's bytes, normalised on the way; nil if it can match no rule of ours.
    @inline(__always)
    init?<Bytes: BidirectionalCollection<UInt8>>(_ hint: Bytes) {
        let bytes = FileExtension.trimmed(hint)
        var low: UInt64 = 0
        var high: UInt64 = 0
        var count: UInt64 = 0
        for byte in bytes {
            // No extension in the rules has a byte that is not printable ASCII.
            guard count < 16, byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "/") else { return nil }
            let lowered = UInt64(HTTPToken.lowered(byte))
            if count < 8 { low |= lowered << (count * 8) } else { high |= lowered << ((count - 8) * 8) }
            count += 1
        }
        guard count > 0 else { return nil }
        self.low = low
        self.high = high
    }

    /// A number that spreads the keys over tables.
    @inline(__always)
    var hash: Int { Int(truncatingIfNeeded: ((low ^ (high &* 31)) &* 0x9E37_79B9_7F4A_7C15) >> 56) }
}
