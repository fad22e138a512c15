/// Why a text is not JSON, and where.
public struct JSONSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A clause without a full stop, such as `a comma or } is missing`.
    public let message: String
    /// From 1.
    public let line: Int
    /// From 1, in Unicode scalars.
    public let column: Int

    /// An error at a place of a text, both counted from 1.
    public init(message: String, line: Int, column: Int) {
        self.message = message
        self.line = line
        self.column = column
    }

    /// `line 3, column 7: …`.
    public var description: String { "line \(line), column \(column): \(message)" }
}

extension JSONSyntaxError {
    /// The error at a byte offset of `bytes`; line ends are LF, CR LF and CR.
    public init(_ message: String, at offset: Int, in bytes: [UInt8]) {
        var line = 1
        var start = 0
        var index = 0
        let end = min(offset, bytes.count)
        while index < end {
            let byte = bytes[index]
            index += 1
            if byte == 0x0A || (byte == 0x0D && !(index < bytes.count && bytes[index] == 0x0A)) {
                line += 1
                start = index
            }
        }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if start == 0, bytes.starts(with: byteOrderMark) { start = min(3, end) }
        // Continuation bytes do not begin a scalar.
        let scalars = bytes[min(start, end)..<end].reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
        self.init(message: message, line: line, column: scalars + 1)
    }
}
