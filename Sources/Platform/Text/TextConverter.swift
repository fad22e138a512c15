import Glibc

/// Converts bytes between two encodings of the C library, such as `CP932` and `UTF-8`.
///
/// The C library loads the code of an encoding from its own folder on first use.
public struct TextConverter: Sendable {
    private let from: String
    private let to: String

    /// Creates a converter between encodings with the names that `iconv --list` shows.
    public init(from: String, to: String) { (self.from, self.to) = (from, to) }

    /// Converts the bytes without loss; nil if they are not valid in the first encoding, the second lacks a letter,
    /// or the C library does not know one of the encodings.
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
                    // The last call, without input, writes the final shift sequence.
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
                        // Some letters could not be converted back to the same, or some bytes have no meaning.
                        return false
                    }
                }
            }
        }
        return isWhole ? result : nil
    }
}
