import Platform

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
        let span = bytes.span.bytes
        guard let encoding = WideEncoding.marked(span) else { return bytes }
        guard let text = encoding.validText(span.extracting(droppingFirst: encoding.unitSize)) else {
            throw JSONSyntaxError(
                "The text does not match its byte order mark.", line: 1, column: 1)
        }
        return Array(text.utf8)
    }
}
