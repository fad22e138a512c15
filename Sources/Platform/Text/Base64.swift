import COpenSSL

/// Base64 (RFC 4648, section 4), by libcrypto.
package enum Base64 {
    /// The number of bytes that are passed to libcrypto together, because its sizes are 32-bit; a multiple of three.
    private static let piece = 3 << 20

    /// Encodes bytes with padding and without line breaks.
    package static func encode(_ data: [UInt8]) -> [UInt8] {
        // libcrypto writes a null byte at the end.
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

    /// Decodes a text, with or without padding; white space is ignored.
    ///
    /// Nil if a character is not in the alphabet, something follows the padding, or a single letter is left over.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var letters: [UInt8] = []
        letters.reserveCapacity(text.underestimatedCount)
        var isPadded = false
        for byte in text where !" \n\r\t".utf8.contains(byte) {
            if byte == UInt8(ascii: "=") {
                isPadded = true
                continue
            }
            // libcrypto ignores white space and treats a hyphen as the end of the text.
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
