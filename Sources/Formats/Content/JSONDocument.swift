import JSON

/// JSON documents from elsewhere.
enum JSONDocument {
    /// The value of a document; nil if it is none.
    static func parse(_ bytes: [UInt8]) -> JSONValue? {
        do throws(JSONSyntaxError) { return try JSONValue(parsingDocument: bytes) } catch { return nil }
    }
}
