/// The beginning of an answer, collected line by line as it arrives (RFC 9112 sections 4 and 5).
struct AnswerHead {
    /// The status of the last status line, 0 before one and for one that has no number.
    private(set) var status = 0
    /// The fields behind it.
    private(set) var headers = HTTPHeaders()
    /// Whether the empty line has come that ends the head of an answer that is not interim.
    private(set) var isComplete = false

    /// Takes in one line with its end. Trailers, which come after the empty line, are ignored.
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

    /// Fields are UTF-8 from newer servers and Latin-1 from older ones.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

/// The field `Content-Range` of RFC 9110 section 14.4, in bytes.
struct ContentRange: Equatable {
    /// The bytes that follow, half-open; nil in an answer 416, which has none.
    var range: Range<Int64>?
    /// The length of the whole, nil when the server wrote `*`.
    var total: Int64?

    /// The parsed value; nil when it is not about bytes or contradicts itself.
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
            // Neither a range nor a length says nothing.
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

/// The classes of characters that the grammars of URLs and HTTP are written in.
enum ASCII {
    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(lower(byte)) }

    static func lower(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

    static func lowercased(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.map(lower), as: UTF8.self)
    }

    /// Without blanks and tabs around it.
    static func trimmed(_ text: some StringProtocol) -> String {
        let bytes = Array(text.utf8)
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }),
            let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    /// A whole number written in digits alone; nil for anything else and for what does not fit.
    static func number(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
        return Int64(text)
    }
}
