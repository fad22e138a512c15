import Platform

/// The filters that need no library (ISO 32000-1, 7.4.2, 7.4.3, 7.4.4 and 7.4.5).
enum PDFSimpleFilters {
    /// Decodes two hexadecimal digits per byte, up to `>`.
    static func asciiHex(_ bytes: [UInt8], limit: Int) -> PDFFilter.Result {
        var result = PDFFilter.Result(bytes: [])
        var high: UInt8?
        for byte in bytes {
            if byte == UInt8(ascii: ">") { break }
            if PDFSyntax.isSpace(byte) { continue }
            guard let digit = Hex.value(of: byte) else {
                result.isDamaged = true
                continue
            }
            guard let first = high else {
                high = digit
                continue
            }
            guard result.bytes.count < limit else {
                result.isTooLarge = true
                return result
            }
            result.bytes.append(first << 4 | digit)
            high = nil
        }
        if let high, result.bytes.count < limit { result.bytes.append(high << 4) }
        return result
    }

    /// Decodes five characters per four bytes, with `z` for four zeros, up to `~>`.
    static func ascii85(_ bytes: [UInt8], limit: Int) -> PDFFilter.Result {
        var result = PDFFilter.Result(bytes: [])
        var group: UInt64 = 0
        var count = 0
        func take(_ wanted: Int, of value: UInt64) {
            for index in 0..<wanted {
                result.bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(24 - 8 * index)))
            }
        }
        for byte in bytes {
            if byte == UInt8(ascii: "~") { break }
            if PDFSyntax.isSpace(byte) { continue }
            guard result.bytes.count <= limit - min(limit, 4) else {
                result.isTooLarge = true
                return result
            }
            if byte == UInt8(ascii: "z"), count == 0 {
                take(4, of: 0)
                continue
            }
            guard (0x21...0x75).contains(byte) else {
                result.isDamaged = true
                continue
            }
            group = group * 85 + UInt64(byte - 0x21)
            count += 1
            if count == 5 {
                take(4, of: group)
                group = 0
                count = 0
            }
        }
        if count > 1 {
            for _ in count..<5 { group = group * 85 + 84 }
            take(count - 1, of: group)
        }
        return result
    }

    /// Decodes runs of equal and of different bytes, of up to 128 bytes each.
    static func runLength(_ bytes: [UInt8], limit: Int) -> PDFFilter.Result {
        var result = PDFFilter.Result(bytes: [])
        var position = 0
        while position < bytes.count, bytes[position] != 128 {
            let length = Int(bytes[position])
            position += 1
            if length < 128 {
                let end = min(position + length + 1, bytes.count)
                result.bytes += bytes[position..<end]
                result.isDamaged = end - position <= length
                position = end
            } else if position < bytes.count {
                result.bytes.append(contentsOf: repeatElement(bytes[position], count: 257 - length))
                position += 1
            }
            guard result.bytes.count <= limit else {
                result.bytes.removeLast(result.bytes.count - limit)
                result.isTooLarge = true
                return result
            }
        }
        return result
    }

    /// Decodes codes of 9 to 12 bits, most significant bit first. Code 256 clears the table, and 257 ends the data.
    static func lzw(_ bytes: [UInt8], earlyChange: Bool, limit: Int) -> PDFFilter.Result {
        var result = PDFFilter.Result(bytes: [])
        // Each entry is the position of its bytes in the output, so the table needs no copies.
        var table: [(start: Int, count: Int)] = []
        var previous: (start: Int, count: Int)?
        var (buffer, bits, width) = (0, 0, 9)
        let early = earlyChange ? 1 : 0
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xFF_FFFF
            bits += 8
            guard bits >= width else { continue }
            bits -= width
            let code = buffer >> bits & (1 << width - 1)
            if code == 257 { return result }
            if code == 256 {
                table.removeAll(keepingCapacity: true)
                previous = nil
                width = 9
                continue
            }
            let start = result.bytes.count
            if code < 256 {
                result.bytes.append(UInt8(code))
            } else if code - 258 < table.count {
                let entry = table[code - 258]
                result.bytes += result.bytes[entry.start..<entry.start + entry.count]
            } else if code - 258 == table.count, let previous {
                result.bytes += result.bytes[previous.start..<previous.start + previous.count]
                result.bytes.append(result.bytes[start])
            } else {
                result.isDamaged = true
                return result
            }
            // The new entry, which is the previous one and the first byte of this one, is contiguous in the output.
            if let previous, table.count < 4_096 - 258 { table.append((previous.start, previous.count + 1)) }
            previous = (start, result.bytes.count - start)
            let next = table.count + 258 + early
            width = next >= 2_048 ? 12 : next >= 1_024 ? 11 : next >= 512 ? 10 : 9
            guard result.bytes.count <= limit else {
                result.bytes.removeLast(result.bytes.count - limit)
                result.isTooLarge = true
                return result
            }
        }
        return result
    }
}
