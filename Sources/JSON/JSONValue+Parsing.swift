extension JSONValue {
    /// Parses UTF-8 JSON text. A byte order mark at the start is skipped.
    public init(parsing bytes: [UInt8], rules: JSONRules = .strict) throws(JSONSyntaxError) {
        self = try JSONParser.parse(bytes, rules)
    }

    /// Parses a document with one long list. Elements of the list are passed to a closure and not stored, so that the
    /// whole list is never in memory.
    ///
    /// - Parameters:
    ///   - list: the name of the list in the document's object; nil if the document is the list.
    ///   - take: receives each element. If the document is damaged, it receives the elements before the damage.
    /// - Returns: the document with an empty list.
    public static func parsing(
        _ bytes: [UInt8], list: String?, _ take: @escaping (JSONValue) -> Void
    ) throws(JSONSyntaxError) -> JSONValue {
        try JSONParser.parse(bytes, .strict, list: JSONParser.List(name: list, take: take))
    }

    /// Parses JSON text.
    public init(parsing text: String, rules: JSONRules = .strict) throws(JSONSyntaxError) {
        self = try JSONParser.parse(Array(text.utf8), rules)
    }

    /// Parses a JSON document from elsewhere with ``JSONRules/lenient``. It may be UTF-8, or UTF-16 or UTF-32 with a
    /// byte order mark. Positions in errors refer to the document's text as UTF-8.
    public init(parsingDocument bytes: [UInt8]) throws(JSONSyntaxError) {
        self = try JSONParser.parse(try Self.utf8(of: bytes), .lenient)
    }

    private static func utf8(of bytes: [UInt8]) throws(JSONSyntaxError) -> [UInt8] {
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) {
            return try transcoded(words(bytes.dropFirst(4), of: 4, bigEndian: false), from: UTF32.self)
        }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
            return try transcoded(words(bytes.dropFirst(4), of: 4, bigEndian: true), from: UTF32.self)
        }
        if bytes.starts(with: [0xFF, 0xFE]) {
            let units = words(bytes.dropFirst(2), of: 2, bigEndian: false)
            return try transcoded(units?.map { UInt16(truncatingIfNeeded: $0) }, from: UTF16.self)
        }
        if bytes.starts(with: [0xFE, 0xFF]) {
            let units = words(bytes.dropFirst(2), of: 2, bigEndian: true)
            return try transcoded(units?.map { UInt16(truncatingIfNeeded: $0) }, from: UTF16.self)
        }
        return bytes
    }

    /// The code units of `size` bytes each; nil if bytes are left over.
    private static func words(_ bytes: ArraySlice<UInt8>, of size: Int, bigEndian: Bool) -> [UInt32]? {
        guard bytes.count.isMultiple(of: size) else { return nil }
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map { start in
            let unit = bytes[start..<start + size]
            return (bigEndian ? Array(unit) : unit.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    private static func transcoded<Encoding: UnicodeCodec>(
        _ units: [Encoding.CodeUnit]?, from encoding: Encoding.Type
    ) throws(JSONSyntaxError) -> [UInt8] {
        guard let units, let text = String(validating: units, as: encoding) else {
            throw JSONSyntaxError(
                "The text does not match its byte order mark.", line: 1, column: 1)
        }
        return Array(text.utf8)
    }
}
