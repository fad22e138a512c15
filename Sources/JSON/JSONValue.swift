/// A JSON value that keeps what Foundation's loses: the order of members and the literal text of numbers.
public enum JSONValue: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number as it was written.
    case number(JSONNumber)
    /// A text.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object with its members in order.
    case object(JSONObject)

    /// A whole number.
    public static func integer(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }

    /// An array of texts.
    public static func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }

    /// The boolean, if it is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The whole number, if it is a number without fraction that fits.
    public var integer: Int64? {
        if case .number(let value) = self { value.integer } else { nil }
    }

    /// The finite number, if it is one.
    public var double: Double? {
        if case .number(let value) = self { value.double } else { nil }
    }

    /// The text, if it is one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The texts, if it is an array of nothing but texts.
    public var strings: [String]? {
        guard case .array(let values) = self else { return nil }
        var texts: [String] = []
        for value in values {
            guard let text = value.string else { return nil }
            texts.append(text)
        }
        return texts
    }

    /// The object, if it is one.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }
}
