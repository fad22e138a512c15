/// Base 64 for embedded covers; written without line breaks, read with any white space in between.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in alphabet.enumerated() { table[Int(letter)] = UInt8(value) }
        return table
    }()

    static func encode(_ data: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity((data.count + 2) / 3 * 4)
        var index = 0
        while index < data.count {
            let first = data[index]
            let second = index + 1 < data.count ? data[index + 1] : 0
            let third = index + 2 < data.count ? data[index + 2] : 0
            output.append(alphabet[Int(first >> 2)])
            output.append(alphabet[Int((first & 0x03) << 4 | second >> 4)])
            output.append(
                index + 1 < data.count ? alphabet[Int((second & 0x0F) << 2 | third >> 6)] : UInt8(ascii: "="))
            output.append(index + 2 < data.count ? alphabet[Int(third & 0x3F)] : UInt8(ascii: "="))
            index += 3
        }
        return output
    }

    /// Nil when a character is outside the alphabet, something follows the padding, or a lone character is left over.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        var buffer: UInt32 = 0
        var held = 0
        var padded = false
        for byte in text {
            if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { continue }
            if byte == UInt8(ascii: "=") {
                padded = true
                continue
            }
            let value = values[Int(byte)]
            guard !padded, value != 0xFF else { return nil }
            buffer = (buffer << 6 | UInt32(value)) & 0xFF_FFFF
            held += 1
            if held == 4 {
                output.append(UInt8(truncatingIfNeeded: buffer >> 16))
                output.append(UInt8(truncatingIfNeeded: buffer >> 8))
                output.append(UInt8(truncatingIfNeeded: buffer))
                held = 0
            }
        }
        switch held {
        case 0: break
        case 2: output.append(UInt8(truncatingIfNeeded: buffer >> 4))
        case 3:
            output.append(UInt8(truncatingIfNeeded: buffer >> 10))
            output.append(UInt8(truncatingIfNeeded: buffer >> 2))
        default: return nil
        }
        return output
    }
}
