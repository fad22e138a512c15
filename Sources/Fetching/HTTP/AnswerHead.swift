/// The beginning of an answer, collected line by line as it arrives (RFC 9112 sections 4 and 5).
struct AnswerHead {
    /// The status of the last status line, 0 before one and for one that has no number.
    private(set) var status = 0
    /// The fields behind it.
    private(set) var headers = HTTPHeaders()
    /// Whether the empty line has come that ends the head of an answer that is not interim.
    private(set) var isComplete = false

    /// Takes in one line with its end. What comes after the empty line are trailers, which nobody asks for.
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
