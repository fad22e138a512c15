/// The objects that a page's content paints, as far as needed to recognize a scanned page.
struct PDFPainting {
    /// An external object that was painted, and the matrix that maps the unit square onto the page.
    struct Painted {
        var name: String
        var matrix: [Double]
    }

    private(set) var painted: [Painted] = []
    /// Whether the page shows visible text. The recognized text under a scan is invisible.
    private(set) var showsText = false
    /// Whether the content has an inline image, or cannot be interpreted.
    private(set) var isUnclear = false

    private var matrix: [Double] = [1, 0, 0, 1, 0, 0]
    private var saved: [[Double]] = []
    private var textMode = 0.0

    /// Interprets the operators of a content stream (ISO 32000-1, 8.4.4, 8.8, 9.4.3).
    init(_ content: [UInt8]) {
        var parser = PDFParser(content, isWhole: true)
        var operands: [PDFObject] = []
        while !isUnclear {
            do {
                try parser.skipSpace()
                guard let byte = try parser.peek() else { return }
                let isLetter = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                if isLetter || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                    apply(try parser.word(), operands)
                    operands = []
                } else {
                    operands.append(try parser.value())
                    isUnclear = operands.count > 64
                }
            } catch {
                isUnclear = true
            }
        }
    }

    private mutating func apply(_ word: String, _ operands: [PDFObject]) {
        switch word {
        case "q":
            saved.append(matrix)
            isUnclear = saved.count > 64
        case "Q":
            matrix = saved.popLast() ?? matrix
        case "cm":
            let values = operands.suffix(6).compactMap(\.number)
            guard values.count == 6 else { return isUnclear = true }
            matrix = Self.product(values, matrix)
        case "Tr":
            textMode = operands.last?.number ?? 0
        case "Tj", "TJ", "'", "\"":
            if textMode != 3 { showsText = true }
        case "Do":
            guard let name = operands.last?.name, painted.count < 16 else { return isUnclear = true }
            painted.append(Painted(name: name, matrix: matrix))
        case "BI":
            isUnclear = true
        default:
            break
        }
    }

    private static func product(_ first: [Double], _ second: [Double]) -> [Double] {
        [
            first[0] * second[0] + first[1] * second[2], first[0] * second[1] + first[1] * second[3],
            first[2] * second[0] + first[3] * second[2], first[2] * second[1] + first[3] * second[3],
            first[4] * second[0] + first[5] * second[2] + second[4],
            first[4] * second[1] + first[5] * second[3] + second[5],
        ]
    }
}
