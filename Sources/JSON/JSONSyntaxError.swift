@_exported import Diagnostics

/// The reason why a text is not JSON. `subject` is the position, such as `line 3, column 7`. Lines and columns are
/// counted from 1, and columns are Unicode scalars.
///
/// ```swift
/// do {
///     print(try JSONValue(parsing: #"{"title": Emma}"#))
/// } catch {
///     print(error.subject ?? "", error.message)  // the line and column, and what is wrong there
/// }
/// ```
public typealias JSONSyntaxError = Failure<JSONSyntaxErrorCode>

/// The kind of a `JSONSyntaxError`.
public struct JSONSyntaxErrorCode: FailureCode {
    /// Lower case words joined by `_`. Codes are never renamed.
    public let rawValue: String

    /// Creates a code from any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text is not JSON.
    public static let malformed = Self(rawValue: "malformed")
}

extension Failure where Code == JSONSyntaxErrorCode {
    /// Creates an error at a line and column, both counted from 1.
    public init(_ message: String, line: Int, column: Int) {
        self.init(.malformed, message, subject: "line \(line), column \(column)")
    }

    /// Creates an error at a byte offset of `bytes`. Line ends are LF, CR LF and CR.
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
        self.init(message, line: line, column: scalars + 1)
    }
}
