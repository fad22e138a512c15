import Platform

/// A strict JSON parser (RFC 8259) for untrusted text. The depth is limited, the time is linear in the length, and
/// errors give their position.
struct JSONParser {
    private let bytes: [UInt8]
    private let rules: JSONRules
    /// The list whose elements are passed to a closure and not stored.
    private let list: List?
    private var isAtList = false
    private var position = 0
    private var depth = 0

    /// A list in a document, and the closure that receives its elements.
    struct List {
        /// The name of the list in the document's object; nil if the document is the list.
        var name: String?
        var take: (JSONValue) -> Void
    }

    private init(_ bytes: [UInt8], _ rules: JSONRules, _ list: List?) {
        (self.bytes, self.rules, self.list) = (bytes, rules, list)
        isAtList = list.map { $0.name == nil } ?? false
    }

    /// Parses the value in `bytes`. A byte order mark at the start is skipped.
    ///
    /// - Parameter list: a list whose elements are passed to its closure. It is empty in the result.
    static func parse(
        _ bytes: [UInt8], _ rules: JSONRules, list: List? = nil
    ) throws(JSONSyntaxError) -> JSONValue {
        if !isUTF8(bytes), let offset = firstInvalidUTF8(bytes) {
            throw JSONSyntaxError("This byte is not UTF-8.", at: offset, in: bytes)
        }
        var parser = JSONParser(bytes, rules, list)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
        parser.skipSpace()
        guard parser.peek != nil else { throw parser.failure("The text is empty.") }
        let value = try parser.value()
        parser.skipSpace()
        guard parser.peek == nil else { throw parser.failure("There is text after the end of the value.") }
        return value
    }

    /// Whether a text is UTF-8. It is checked in pieces, so that a large text is not in memory twice.
    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        var start = 0
        while start < bytes.count {
            var end = min(start + (64 << 10), bytes.count)
            // Do not cut a character. Four continuation bytes in a row are not valid UTF-8 anyway.
            var back = 0
            while end < bytes.count, back < 4, bytes[end] & 0xC0 == 0x80 { (end, back) = (end - 1, back + 1) }
            let piece = bytes[start..<end]
            guard
                piece.reduce(0, { $0 | $1 }) < 0x80 || String(validating: piece, as: UTF8.self) != nil
            else { return false }
            start = end
        }
        return true
    }

    private static func firstInvalidUTF8(_ bytes: [UInt8]) -> Int? {
        var offset = 0
        var iterator = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded): offset += encoded.count
            case .error, .emptyInput: return offset
            }
        }
    }

    // MARK: values

    private mutating func value() throws(JSONSyntaxError) -> JSONValue {
        switch peek {
        case UInt8(ascii: "{"): return .object(try nested(Self.object))
        case UInt8(ascii: "["): return .array(try nested(Self.array))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            return .number(try number())
        case nil: throw failure("A value is missing at the end.")
        default: throw failure("Expected a value.")
        }
    }

    private mutating func nested<T>(
        _ read: (inout JSONParser) throws(JSONSyntaxError) -> T
    ) throws(JSONSyntaxError) -> T {
        guard depth < rules.deepest else {
            throw failure("Values are nested more than \(rules.deepest) levels deep.")
        }
        depth += 1
        defer { depth -= 1 }
        position += 1
        return try read(&self)
    }

    private static func object(_ parser: inout JSONParser) throws(JSONSyntaxError) -> JSONObject {
        parser.isAtList = false
        var object = JSONObject()
        var names = MemberNames()
        parser.skipSpace()
        if parser.take(UInt8(ascii: "}")) { return object }
        while true {
            let start = parser.position
            guard parser.peek == UInt8(ascii: "\"") else {
                throw parser.failure("Expected a member name in double quotes.")
            }
            let name = try parser.string()
            parser.skipSpace()
            guard parser.take(UInt8(ascii: ":")) else { throw parser.failure("Expected a colon.") }
            parser.skipSpace()
            parser.isAtList = parser.depth == 1 && parser.list?.name == name
            let value = try parser.value()
            if let earlier = names.place(of: name, in: object) {
                guard parser.rules.repeatedNames == .lastWins else {
                    throw JSONSyntaxError("The name '\(name)' appears twice.", at: start, in: parser.bytes)
                }
                object.replace(at: earlier, value)
            } else {
                object.append(name, value)
            }
            parser.skipSpace()
            if parser.take(UInt8(ascii: "}")) { return object }
            guard parser.take(UInt8(ascii: ",")) else { throw parser.failure("Expected a comma or }.") }
            parser.skipSpace()
        }
    }

    private static func array(_ parser: inout JSONParser) throws(JSONSyntaxError) -> [JSONValue] {
        var values: [JSONValue] = []
        let list = parser.isAtList ? parser.list : nil
        parser.isAtList = false
        parser.skipSpace()
        if parser.take(UInt8(ascii: "]")) { return values }
        while true {
            let value = try parser.value()
            if let list { list.take(value) } else { values.append(value) }
            parser.skipSpace()
            if parser.take(UInt8(ascii: "]")) { return values }
            guard parser.take(UInt8(ascii: ",")) else { throw parser.failure("Expected a comma or ].") }
            parser.skipSpace()
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue
    {
        let start = position
        for expected in Array(text.description.utf8) {
            guard take(expected) else {
                throw JSONSyntaxError("Expected a value.", at: start, in: bytes)
            }
        }
        return value
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONNumber {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if take(UInt8(ascii: "0")) {
            if digits() > 0 { throw JSONSyntaxError("A number must not begin with 0.", at: start, in: bytes) }
        } else if digits() == 0 {
            throw failure("Expected a digit.")
        }
        if take(UInt8(ascii: ".")), digits() == 0 { throw failure("Expected a digit.") }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            if digits() == 0 { throw failure("Expected a digit.") }
        }
        return JSONNumber(checked: text(start..<position))
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }

    // MARK: texts

    private mutating func string() throws(JSONSyntaxError) -> String {
        let start = position
        position += 1
        // Most strings do not contain an escape.
        var content: [UInt8] = []
        var run = position
        while true {
            position = endOfPlainText
            switch peek {
            case UInt8(ascii: "\""):
                position += 1
                guard !content.isEmpty else { return text(run..<position - 1) }
                content += bytes[run..<position - 1]
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                content += bytes[run..<position]
                position += 1
                content.append(contentsOf: String(try escape()).utf8)
                run = position
            case nil:
                throw JSONSyntaxError("The string that begins here has no end.", at: start, in: bytes)
            case 0x0A, 0x0D: throw failure("The line ends inside a string.")
            default: throw failure("A control character inside a string must be escaped.")
            }
        }
    }

    /// The position of the next quotation mark, backslash or control character; the end if there is none.
    private var endOfPlainText: Int {
        bytes.withUnsafeBufferPointer { bytes in
            var end = position
            while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""),
                bytes[end] != UInt8(ascii: "\\")
            {
                end += 1
            }
            return end
        }
    }

    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = position - 1
        guard let byte = peek else { throw failure("The text ends after a backslash.") }
        position += 1
        if let character = JSONEscape.character(of: byte) { return character }
        guard byte == UInt8(ascii: "u") else {
            throw JSONSyntaxError("The string has an unknown escape.", at: start, in: bytes)
        }
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        if first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")),
            let character = JSONEscape.character(high: first, low: try hexadecimal())
        {
            return character
        }
        throw JSONSyntaxError("Half of a surrogate pair is missing.", at: start, in: bytes)
    }

    private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Hex.value(of: byte) else {
                throw failure("Expected four hexadecimal digits.")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    // MARK: bytes

    /// The text of some bytes. A slice of the array would be retained for each text.
    private func text(_ range: Range<Int>) -> String {
        bytes.withUnsafeBufferPointer {
            String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
        }
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func failure(_ message: String) -> JSONSyntaxError {
        JSONSyntaxError(message, at: position, in: bytes)
    }
}

/// Finds a name among the members of an object. Most objects have few members, for which a search is faster than a
/// table.
private struct MemberNames {
    private static let few = 16
    private var places: [[UInt8]: Int] = [:]

    /// The index of the member with this name, compared byte by byte. If there is none, the name is recorded for the
    /// next member.
    mutating func place(of name: String, in object: JSONObject) -> Int? {
        let members = object.members
        if members.count < Self.few {
            return members.firstIndex { $0.isNamed(name) }
        }
        if places.isEmpty {
            for (place, member) in members.enumerated() { places[Array(member.name.utf8)] = place }
        }
        let key = Array(name.utf8)
        if let place = places[key] { return place }
        places[key] = members.count
        return nil
    }
}

/// What a reader of JSON accepts beyond the grammar of RFC 8259.
///
/// ```swift
/// let rules = JSONRules(deepest: 16, repeatedNames: .lastWins)
/// let book = try JSONValue(parsing: #"{"title": "Ema", "title": "Emma"}"#, rules: rules)
/// print(book.object?["title"]?.string ?? "")  // Emma
/// ```
public struct JSONRules: Sendable, Equatable {
    /// How a repeated name in an object is handled.
    public enum RepeatedNames: Sendable, Equatable {
        /// A repeated name is an error at its position.
        case refused
        /// The last value replaces the first, at the position of the first.
        case lastWins
    }

    /// The greatest depth of nested arrays and objects, from 1 to 512.
    public let deepest: Int
    /// How a repeated name is handled.
    public let repeatedNames: RepeatedNames

    /// Creates rules. `deepest` is clamped to its range, because each level uses stack.
    public init(deepest: Int, repeatedNames: RepeatedNames) {
        self.deepest = min(max(deepest, 1), 512)
        self.repeatedNames = repeatedNames
    }

    /// For files that people edit: 64 levels, and repeated names are errors.
    public static let strict = JSONRules(deepest: 64, repeatedNames: .refused)
    /// For documents from elsewhere, such as manifests of publications: 256 levels, and the last of repeated names is
    /// used.
    public static let lenient = JSONRules(deepest: 256, repeatedNames: .lastWins)
}

/// The escapes of a JSON string (RFC 8259 section 7).
package enum JSONEscape {
    /// The character for the letter after a backslash; nil for `u`, which is followed by digits, and for unknown
    /// letters.
    package static func character(of letter: UInt8) -> Unicode.Scalar? {
        switch letter {
        case UInt8(ascii: "\""): "\""
        case UInt8(ascii: "\\"): "\\"
        case UInt8(ascii: "/"): "/"
        case UInt8(ascii: "b"): "\u{08}"
        case UInt8(ascii: "f"): "\u{0C}"
        case UInt8(ascii: "n"): "\n"
        case UInt8(ascii: "r"): "\r"
        case UInt8(ascii: "t"): "\t"
        default: nil
        }
    }

    /// The character of a surrogate pair; nil if the two numbers are not a surrogate pair.
    package static func character(high: UInt32, low: UInt32) -> Unicode.Scalar? {
        guard (0xD800...0xDBFF).contains(high), (0xDC00...0xDFFF).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    }
}
