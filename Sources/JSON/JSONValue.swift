/// A JSON value that, unlike Foundation's, keeps the order of members and the literal text of numbers.
///
/// ```swift
/// let value = try JSONValue(parsing: #"{"title": "Emma", "pages": 512}"#)
/// if let book = value.object { print(book["title"]?.string ?? "", book["pages"]?.integer ?? 0) }
/// print(value.text())
/// ```
public enum JSONValue: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number with its literal text.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object with its members in order.
    case object(JSONObject)

    /// A whole number.
    public static func integer(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }

    /// An array of texts.
    public static func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }

    /// The boolean; nil for anything else.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer; nil for anything else, and for a number that has a fraction or does not fit.
    public var integer: Int64? {
        if case .number(let value) = self { value.integer } else { nil }
    }

    /// The number; nil for anything else, and for a number that is too large.
    public var double: Double? {
        if case .number(let value) = self { value.double } else { nil }
    }

    /// The string; nil for anything else.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The values of an array; nil for anything else.
    public var elements: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The strings of an array; nil for anything else, and for an array that contains other values.
    public var strings: [String]? {
        guard case .array(let values) = self else { return nil }
        var texts: [String] = []
        for value in values {
            guard let text = value.string else { return nil }
            texts.append(text)
        }
        return texts
    }

    /// The object; nil for anything else.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }
}

/// A JSON number by its literal text, so that reading and writing changes no digit.
///
/// ```swift
/// let price = try JSONValue(parsing: "19.90")
/// if case .number(let number) = price { print(number.literal, number.double ?? 0) }  // 19.90 19.9
/// ```
public struct JSONNumber: Sendable, Equatable {
    /// The text of the number in the JSON grammar.
    public let literal: String

    /// Creates a whole number.
    public init(_ value: Int64) { literal = String(value) }

    /// Creates a finite number; nil for infinities and NaN, which JSON cannot represent.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        literal = Int64(exactly: value).map { String($0) } ?? value.description
    }

    /// Creates a number from a literal that the parser has checked.
    init(checked literal: String) { self.literal = literal }

    /// The integer; nil if the number has a fraction or does not fit into 64 bits.
    public var integer: Int64? { Int64(literal) ?? double.flatMap { Int64(exactly: $0) } }

    /// The nearest double; nil if the number is too large.
    public var double: Double? {
        guard let value = Double(literal), value.isFinite else { return nil }
        return value
    }
}
