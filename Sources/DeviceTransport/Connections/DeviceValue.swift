/// A property list value that a device sent.
public enum DeviceValue: Sendable, Hashable {
    /// True or false.
    case bool(Bool)
    /// An integer. Devices send unsigned 64-bit numbers.
    case integer(UInt64)
    /// A floating-point number.
    case real(Double)
    /// Text.
    case string(String)
    /// Bytes.
    case data([UInt8])
    /// A date, in seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    /// An array.
    case array([DeviceValue])
    /// A dictionary.
    case dictionary([String: DeviceValue])

    /// The text, if this is text.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The text, if this is text that is not blank.
    var visibleText: String? {
        guard let text = string, text.contains(where: { !$0.isWhitespace }) else { return nil }
        return text
    }
    /// The Boolean value, if this is one. A number is true if it is not 0, because some versions of iOS send numbers.
    public var bool: Bool? {
        switch self {
        case .bool(let value): value
        case .integer(let value): value != 0
        default: nil
        }
    }
    /// The number, if this is an integer.
    public var integer: UInt64? { if case .integer(let value) = self { value } else { nil } }
    /// The elements, if this is an array.
    public var array: [DeviceValue]? { if case .array(let value) = self { value } else { nil } }
    /// The entries, if this is a dictionary.
    public var dictionary: [String: DeviceValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }
}
