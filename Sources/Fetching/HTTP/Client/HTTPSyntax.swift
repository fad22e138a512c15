/// The head of an answer, collected line by line as it arrives (RFC 9112 sections 4 and 5).
struct AnswerHead {
    /// The status in the last status line; 0 if there was none or it has no number.
    private(set) var status = 0
    /// The fields after the status line.
    private(set) var headers = HTTPHeaders()
    /// Whether the empty line that ends the head of a final answer has arrived.
    private(set) var isComplete = false

    /// Adds one line, including its line end. Trailers, which follow the empty line, are ignored.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard !isComplete else { return }
        let line = Self.text(bytes)
        let content = line.last.map { $0 == "\r\n" || $0 == "\n" } == true ? line.dropLast() : line[...]
        if content.isEmpty {
            isComplete = status >= 200
        } else if content.hasPrefix("HTTP/") {
            status = content.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            headers = HTTPHeaders()
        } else if content.first == " " || content.first == "\t" {
            headers.continueLast(ASCII.trimmed(content))
        } else if let colon = content.firstIndex(of: ":") {
            let name = ASCII.trimmed(content[..<colon])
            headers.add(name, ASCII.trimmed(content[content.index(after: colon)...]))
        }
    }

    /// Decodes a field as UTF-8, which newer servers send, or else as Latin-1, which older ones send.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

/// The field `Content-Range` of RFC 9110 section 14.4, in bytes.
struct ContentRange: Equatable {
    /// The bytes that follow, as a half-open range; nil in a 416 answer, which has none.
    var range: Range<Int64>?
    /// The length of the complete content; nil if the server wrote `*`.
    var total: Int64?

    /// Parses the value; nil if it is not about bytes or is inconsistent.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, ASCII.lowercased(words[0]) == "bytes" else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        if halves[1] != "*" {
            guard let total = ASCII.number(halves[1]) else { return nil }
            self.total = total
        }
        if halves[0] == "*" {
            // A value with neither a range nor a length is useless.
            guard total != nil else { return nil }
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ASCII.number(ends[0]), let last = ASCII.number(ends[1]),
            first <= last, last < Int64.max, last < total ?? .max
        else { return nil }
        range = first..<last + 1
    }
}

/// The character classes in the grammars of URLs and HTTP.
enum ASCII {
    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(lower(byte)) }

    static func lower(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

    static func lowercased(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.map(lower), as: UTF8.self)
    }

    /// The text without surrounding spaces and tabs.
    static func trimmed(_ text: some StringProtocol) -> String {
        let bytes = Array(text.utf8)
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }),
            let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    /// A whole number that consists only of digits; nil for anything else and for numbers that do not fit.
    static func number(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
        return Int64(text)
    }
}
