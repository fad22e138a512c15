import Platform

/// A SHA-256 as a manifest notes it, in as few bytes as it has: a library has hundreds of thousands.
enum BackupChecksum: Hashable, Sendable {
    /// Four words of eight bytes, the first byte foremost.
    case words(UInt64, UInt64, UInt64, UInt64)
    /// What is no such text in lower case, as it was found.
    case other(String)

    /// The checksum of a hexadecimal text.
    init(_ text: String) {
        // A capital letter would not be one when the text is made anew.
        let digits = text.utf8.map { (0x41...0x46).contains($0) ? nil : Hex.value(of: $0) }
        let words = stride(from: 0, to: digits.count, by: 16).map { start in
            digits[start...].prefix(16).reduce(into: UInt64(0)) { $0 = $0 << 4 | UInt64($1 ?? 0) }
        }
        guard digits.count == 64, !digits.contains(nil) else {
            self = .other(text)
            return
        }
        self = .words(words[0], words[1], words[2], words[3])
    }

    /// The text that it was made of.
    var text: String {
        switch self {
        case .words(let one, let two, let three, let four):
            [one, two, three, four].map { Hex.text($0) }.joined()
        case .other(let text): text
        }
    }
}
