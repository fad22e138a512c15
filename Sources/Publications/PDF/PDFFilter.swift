/// One filter of a stream (ISO 32000-1, 7.4) with the parameters that matter here.
struct PDFFilter {
    /// The name, such as `FlateDecode`. The abbreviations for inline images are accepted too.
    var name: String
    /// The parameters `Predictor`, `Colors`, `BitsPerComponent`, `Columns` and `EarlyChange`.
    var parameters: [String: Int] = [:]

    /// The result of decoding.
    struct Result {
        var bytes: [UInt8]
        /// Whether the input was damaged. The bytes then end at the damage.
        var isDamaged = false
        /// Whether the output was cut off at the limit.
        var isTooLarge = false
    }

    /// Decodes the bytes; returns at most `limit` bytes.
    func decode(_ bytes: [UInt8], limit: Int) throws(PDFFault) -> Result {
        switch name {
        case "FlateDecode", "Fl": return try unpredict(PDFInflate.decode(bytes, limit: limit))
        case "LZWDecode", "LZW":
            return try unpredict(
                PDFSimpleFilters.lzw(bytes, earlyChange: parameters["EarlyChange"] != 0, limit: limit))
        case "ASCIIHexDecode", "AHx": return PDFSimpleFilters.asciiHex(bytes, limit: limit)
        case "ASCII85Decode", "A85": return PDFSimpleFilters.ascii85(bytes, limit: limit)
        case "RunLengthDecode", "RL": return PDFSimpleFilters.runLength(bytes, limit: limit)
        default: throw .malformed("A stream has the unsupported encoding \(name.prefix(40)).")
        }
    }

    /// Undoes the prediction of Flate and LZW (7.4.4.4).
    private func unpredict(_ input: Result) throws(PDFFault) -> Result {
        let predictor = parameters["Predictor"] ?? 1
        guard predictor > 1 else { return input }
        let colors = parameters["Colors"] ?? 1
        let bits = parameters["BitsPerComponent"] ?? 8
        let columns = parameters["Columns"] ?? 1
        guard (1...64).contains(colors), [1, 2, 4, 8, 16].contains(bits), (1...1_000_000).contains(columns)
        else {
            throw .malformed("A stream's predictor has an invalid row size.")
        }
        let pixel = max(colors * bits / 8, 1)
        let row = (colors * bits * columns + 7) / 8
        var result = input
        if predictor == 2 {
            guard bits == 8 else { throw .malformed("A stream uses an unsupported predictor.") }
            for start in stride(from: 0, to: result.bytes.count, by: row) {
                let end = min(start + row, result.bytes.count)
                guard start + pixel < end else { continue }
                for index in start + pixel..<end { result.bytes[index] &+= result.bytes[index - pixel] }
            }
        } else {
            result.bytes = Self.unfilterPNG(input.bytes, row: row, pixel: pixel)
        }
        return result
    }

    /// Undoes the five PNG filters. Each row begins with a byte that selects its filter.
    private static func unfilterPNG(_ bytes: [UInt8], row: Int, pixel: Int) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var previous = [UInt8](repeating: 0, count: row)
        var position = 0
        while position < bytes.count {
            let kind = bytes[position]
            var current = Array(bytes[position + 1..<min(position + 1 + row, bytes.count)])
            let present = current.count
            position += 1 + row
            for index in 0..<present {
                let left = index >= pixel ? current[index - pixel] : 0
                let up = previous[index]
                switch kind {
                case 1: current[index] &+= left
                case 2: current[index] &+= up
                case 3: current[index] &+= UInt8((Int(left) + Int(up)) / 2)
                case 4:
                    let corner = index >= pixel ? previous[index - pixel] : 0
                    current[index] &+= paeth(Int(left), Int(up), Int(corner))
                default: break
                }
            }
            output += current
            guard present == row else { break }
            previous = current
        }
        return output
    }

    private static func paeth(_ left: Int, _ up: Int, _ corner: Int) -> UInt8 {
        let estimate = left + up - corner
        let (a, b, c) = (abs(estimate - left), abs(estimate - up), abs(estimate - corner))
        return UInt8(a <= b && a <= c ? left : b <= c ? up : corner)
    }
}
