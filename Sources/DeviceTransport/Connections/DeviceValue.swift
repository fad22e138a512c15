/// A property-list value that came from a device.
public enum DeviceValue: Sendable, Hashable {
    /// True or false.
    case bool(Bool)
    /// A whole number; devices send unsigned 64-bit numbers.
    case integer(UInt64)
    /// A floating-point number.
    case real(Double)
    /// Text.
    case string(String)
    /// Bytes.
    case data([UInt8])
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    /// A list.
    case array([DeviceValue])
    /// A table.
    case dictionary([String: DeviceValue])

    /// The text, when this is text.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The flag, when this is one; a number counts as true when it is not 0, as some versions of iOS send it.
    public var bool: Bool? {
        switch self {
        case .bool(let value): value
        case .integer(let value): value != 0
        default: nil
        }
    }
    /// The number, when this is a whole number.
    public var integer: UInt64? { if case .integer(let value) = self { value } else { nil } }
    /// The list, when this is one.
    public var array: [DeviceValue]? { if case .array(let value) = self { value } else { nil } }
    /// The table, when this is one.
    public var dictionary: [String: DeviceValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }
}
