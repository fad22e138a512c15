import FoundationEssentials
import Glibc

/// Decodes text in any encoding.
enum CharsetDecoding {
    /// Decodes the bytes and removes a byte order mark; nil if they are invalid in the encoding.
    ///
    /// A byte order mark of UTF-8, UTF-16 or UTF-32 overrides `charset`.
    ///
    /// - Parameter charset: an IANA name in upper case; nil for UTF-8.
    static func decode(_ bytes: [UInt8], charset: String?) -> String? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return String(validating: bytes.dropFirst(3), as: UTF8.self)
        }
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
            return marked(bytes, .utf32)
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return marked(bytes, .utf16)
        }
        switch charset {
        case nil, "UTF-8": return String(validating: bytes, as: UTF8.self)
        case "US-ASCII": return String(validating: bytes, as: Unicode.ASCII.self)
        case "ISO-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .some(let name): return converted(bytes, from: name)
        }
    }

    /// Decodes with iconv(3), which supports many charsets that FoundationEssentials does not.
    private static func converted(_ bytes: [UInt8], from charset: String) -> String? {
        let converter = iconv_open("UTF-8", charset)
        // On failure, iconv_open returns a pointer with all bits set.
        guard let converter, Int(bitPattern: converter) != -1 else { return nil }
        defer { iconv_close(converter) }
        var source = bytes.map { CChar(bitPattern: $0) }
        var result: [UInt8] = []
        var memory = [CChar](repeating: 0, count: 64 << 10)
        return source.withUnsafeMutableBufferPointer { source in
            var next = source.baseAddress
            var left = source.count
            while true {
                let isLast = left == 0
                let (status, failure) = memory.withUnsafeMutableBufferPointer { memory in
                    var target = memory.baseAddress
                    var room = memory.count
                    // A final call without input outputs what a stateful charset still holds.
                    let status =
                        isLast
                        ? iconv(converter, nil, nil, &target, &room)
                        : iconv(converter, &next, &left, &target, &room)
                    let failure = errno
                    result.append(contentsOf: UnsafeRawBufferPointer(memory).prefix(memory.count - room))
                    return (status, failure)
                }
                if status == Int(bitPattern: UInt.max) {
                    guard failure == E2BIG else { return nil }
                } else if isLast {
                    break
                }
            }
            return String(validating: result, as: UTF8.self)
        }
    }

    private static func marked(_ bytes: [UInt8], _ encoding: String.Encoding) -> String? {
        guard let text = String(bytes: bytes, encoding: encoding) else { return nil }
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }
}
