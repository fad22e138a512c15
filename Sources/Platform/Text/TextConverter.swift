import Glibc

/// Converts bytes between two encodings that the C library knows, such as `CP932` and `UTF-8`.
///
/// The C library loads the code of an encoding from its own folder when it is first used.
public struct TextConverter: Sendable {
    private let from: String
    private let to: String

    /// A converter; the names are those of `iconv --list`.
    public init(from: String, to: String) { (self.from, self.to) = (from, to) }

    /// The bytes in the other encoding, without loss; nil if they are none of the encoding, if the other one lacks a letter, or if
    /// the C library does not know one of them.
    public func convert(_ bytes: [UInt8]) -> [UInt8]? {
        let descriptor = iconv_open(to, from)
        guard let descriptor, Int(bitPattern: descriptor) != -1 else { return nil }
        defer { iconv_close(descriptor) }
        var source = bytes
        var piece = [UInt8](repeating: 0, count: min(max(bytes.count * 2, 64), 1 << 20))
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        let isWhole = source.withUnsafeMutableBytes { source in
            piece.withUnsafeMutableBytes { piece in
                var next = source.baseAddress?.assumingMemoryBound(to: CChar.self)
                var left = source.count
                var isEnding = false
                while true {
                    var output = piece.baseAddress?.assumingMemoryBound(to: CChar.self)
                    var room = piece.count
                    // The last call, without input, writes what ends a text with shifts.
                    let count =
                        isEnding
                        ? iconv(descriptor, nil, nil, &output, &room)
                        : iconv(descriptor, &next, &left, &output, &room)
                    let problem = errno
                    result.append(contentsOf: piece[..<(piece.count - room)])
                    if count == 0 {
                        if isEnding { return true }
                        isEnding = true
                    } else if count != Int(bitPattern: UInt.max) || problem != E2BIG {
                        // Letters that could not come back the same, or bytes without a meaning.
                        return false
                    }
                }
            }
        }
        return isWhole ? result : nil
    }
}
