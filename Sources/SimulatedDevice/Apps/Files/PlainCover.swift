/// A cover of one color: a baseline JPEG that every decoder can read, created without an image library.
///
/// Each 8 x 8 block has only its mean value, and all blocks after the first repeat it, so the file consists mostly of
/// its headers. Where a realistic size matters, comment segments pad the file.
struct PlainCover {
    let width: Int
    let height: Int
    /// The luma and the two color differences, each -128 to 127.
    let colour: (y: Int, cb: Int, cr: Int)

    /// A cover in Marvin's small size.
    static func small(seed: UInt64) -> PlainCover { PlainCover(width: 180, height: 270, seed: seed) }
    /// A cover in Marvin's large size.
    static func large(seed: UInt64) -> PlainCover { PlainCover(width: 450, height: 675, seed: seed) }

    /// The color is derived from the seed and is neither very bright nor very dark.
    init(width: Int, height: Int, seed: UInt64) {
        self.width = width
        self.height = height
        let mixed = (seed &+ 0x9E37_79B9_7F4A_7C15) &* 0xBF58_476D_1CE4_E5B9
        colour = (Int(mixed >> 56) / 2 - 64, Int(mixed >> 48 & 0x7F) - 64, Int(mixed >> 40 & 0x7F) - 64)
    }

    /// Encodes the file.
    ///
    /// - Parameter size: the file size in bytes to pad to with comments. A size smaller than the image has no effect.
    func jpeg(paddedTo size: Int = 0) -> [UInt8] {
        var body: [UInt8] = []
        // One quantization table for all components, with 8 throughout, so that a mean value needs no rounding.
        PlainCover.segment(0xDB, [0] + [UInt8](repeating: 8, count: 64), to: &body)
        let frame: [UInt8] =
            [8] + PlainCover.word(height) + PlainCover.word(width) + [3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]
        PlainCover.segment(0xC0, frame, to: &body)
        // Mean values have the sizes 0 to 11 with codes of 2 to 9 bits. For the rest, the only code is "end of
        // block".
        PlainCover.segment(
            0xC4, [0x00, 0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0] + Array(0...11), to: &body)
        PlainCover.segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0], to: &body)
        PlainCover.segment(0xDA, [3, 1, 0x00, 2, 0x00, 3, 0x00, 0, 63, 0], to: &body)
        body += scan()
        body += [0xFF, 0xD9]

        var file: [UInt8] = [0xFF, 0xD8]
        PlainCover.segment(0xE0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0], to: &file)
        while size - file.count - body.count > 4 {
            let count = min(size - file.count - body.count - 4, 65_533)
            PlainCover.segment(0xFE, [UInt8](repeating: 0x20, count: count), to: &file)
        }
        return file + body
    }

    private func scan() -> [UInt8] {
        var bits = BitWriter()
        for value in [colour.y, colour.cb, colour.cr] { bits.appendMean(value) }
        let blocks = ((width + 7) / 8) * ((height + 7) / 8)
        bits.repeatMeans((blocks - 1) * 3)
        return bits.finish()
    }

    private static func word(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8], to file: inout [UInt8]) {
        file += [0xFF, marker] + word(content.count + 2) + content
    }

    private struct BitWriter {
        private var bytes: [UInt8] = []
        private var buffer: UInt32 = 0
        private var held = 0

        /// The codes of the sizes 0 to 11, which result from the table in the file.
        private static let sizeCodes: [(code: UInt32, bits: Int)] = [
            (0b00, 2), (0b010, 3), (0b011, 3), (0b100, 3), (0b101, 3), (0b110, 3), (0b1110, 4), (0b11110, 5),
            (0b111110, 6), (0b1111110, 7), (0b1_1111110, 8), (0b11_1111110, 9),
        ]

        /// Appends one block: the difference of its mean value from the previous block, then "end of block".
        mutating func appendMean(_ difference: Int) {
            let size = Int.bitWidth - difference.magnitude.leadingZeroBitCount
            let entry = BitWriter.sizeCodes[min(size, 11)]
            append(entry.code, entry.bits)
            let value = difference >= 0 ? difference : difference + (1 << size) - 1
            append(UInt32(truncatingIfNeeded: value), size)
            append(0, 1)
        }

        /// Appends blocks that equal the previous one. Each needs three zero bits: two for "no difference" and one
        /// for the end.
        mutating func repeatMeans(_ blocks: Int) {
            var zeros = blocks * 3
            while zeros > 0, held != 0 {
                append(0, 1)
                zeros -= 1
            }
            bytes += [UInt8](repeating: 0, count: zeros / 8)
            append(0, zeros % 8)
        }

        mutating func finish() -> [UInt8] {
            while held != 0 { append(1, 1) }
            return bytes
        }

        private mutating func append(_ value: UInt32, _ count: Int) {
            for shift in (0..<count).reversed() {
                buffer = buffer << 1 | (value >> UInt32(shift) & 1)
                held += 1
                guard held == 8 else { continue }
                let byte = UInt8(truncatingIfNeeded: buffer)
                bytes.append(byte)
                // A zero after a 0xFF byte shows that it is not a marker.
                if byte == 0xFF { bytes.append(0) }
                buffer = 0
                held = 0
            }
        }
    }
}
