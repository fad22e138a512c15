import COpenSSL

/// Base 64 (RFC 4648, section 4), by libcrypto.
package enum Base64 {
    /// Bytes that libcrypto gets at once, whose sizes are 32 bits wide; a multiple of three.
    private static let piece = 3 << 20

    /// The letters of bytes, padded and without line breaks.
    package static func encode(_ data: [UInt8]) -> [UInt8] {
        // A null byte follows what libcrypto writes.
        [UInt8](unsafeUninitializedCapacity: (data.count + 2) / 3 * 4 + 1) { letters, count in
            data.withUnsafeBufferPointer { data in
                guard let source = data.baseAddress, let target = letters.baseAddress else { return }
                for start in stride(from: 0, to: data.count, by: piece) {
                    let size = Int32(min(piece, data.count - start))
                    count += Int(EVP_EncodeBlock(target + count, source + start, size))
                }
            }
        }
    }

    /// The bytes of letters, with any white space in between, and padded or not.
    ///
    /// Nil when a character is outside the alphabet, something follows the padding, or a lone letter is left over.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var letters: [UInt8] = []
        letters.reserveCapacity(text.underestimatedCount)
        var isPadded = false
        for byte in text where !" \n\r\t".utf8.contains(byte) {
            if byte == UInt8(ascii: "=") {
                isPadded = true
                continue
            }
            // Libcrypto passes over white space and takes a hyphen for the end.
            guard !isPadded, isLetter(byte) else { return nil }
            letters.append(byte)
        }
        guard letters.count % 4 != 1 else { return nil }
        let missing = (4 - letters.count % 4) % 4
        letters.append(contentsOf: repeatElement(UInt8(ascii: "A"), count: missing))
        var bytes = [UInt8](repeating: 0, count: letters.count / 4 * 3)
        let isRead = letters.withUnsafeBufferPointer { letters in
            bytes.withUnsafeMutableBufferPointer { bytes in
                guard let source = letters.baseAddress, let target = bytes.baseAddress else { return true }
                return stride(from: 0, to: bytes.count, by: piece).allSatisfy { start in
                    let size = min(piece, bytes.count - start)
                    return EVP_DecodeBlock(target + start, source + start / 3 * 4, Int32(size / 3 * 4))
                        == size
                }
            }
        }
        guard isRead else { return nil }
        bytes.removeLast(missing)
        return bytes
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
