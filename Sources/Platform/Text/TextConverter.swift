import Glibc

/// Converts bytes between two encodings of the C library, such as `CP932` and `UTF-8`. Used by one thread at a time.
///
/// The C library loads the code of an encoding from its own folder on first use.
public struct TextConverter: ~Copyable {
    /// What happens to bytes that cannot be converted exactly.
    public enum Rule: Sendable {
        /// The conversion fails if bytes are not valid in the first encoding.
        case valid
        /// Each byte that is not valid becomes U+FFFD. Only for conversions to UTF-8.
        case replacing
    }

    private let descriptor: iconv_t

    /// Creates a converter between encodings with the names that `iconv --list` shows; nil if the C library does not
    /// know one of them.
    public init?(from: String, to: String) {
        // On failure, iconv_open returns a pointer with all bits set.
        guard let opened = iconv_open(to, from), opened != iconv_t(bitPattern: -1) else { return nil }
        descriptor = opened
    }

    deinit { _ = iconv_close(descriptor) }

    /// Converts the bytes; nil if the rule does not allow it.
    public func convert(_ bytes: RawSpan, _ rule: Rule) -> [UInt8]? {
        bytes.withUnsafeBytes { convert($0, rule) }
    }

    private func convert(_ bytes: UnsafeRawBufferPointer, _ rule: Rule) -> [UInt8]? {
        // A failed conversion leaves its state.
        _ = iconv(descriptor, nil, nil, nil, nil)
        var next = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        var left = bytes.count
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var piece = [UInt8](repeating: 0, count: min(max(bytes.count * 2, 64), 64 << 10))
        return piece.withUnsafeMutableBytes { piece in
            while true {
                var output = piece.baseAddress?.assumingMemoryBound(to: CChar.self)
                var room = piece.count
                // The last call, without input, writes the final letter or shift sequence.
                let isEnding = left == 0
                let count =
                    isEnding
                    ? iconv(descriptor, nil, nil, &output, &room)
                    : iconv(descriptor, &next, &left, &output, &room)
                let problem = errno
                result.append(contentsOf: piece[..<(piece.count - room)])
                if count == -1, problem != E2BIG {
                    guard rule == .replacing else { return nil }
                    guard left > 0 else { return result }
                    // Flushing a letter that waits for an accent would also end a shift of ISO-2022-JP.
                    result += "\u{FFFD}".utf8
                    next = next.map { $0 + 1 }
                    left -= 1
                } else if count != -1, isEnding {
                    return result
                }
            }
        }
    }
}
