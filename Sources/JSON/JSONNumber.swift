/// A JSON number by its literal text, so that reading and writing changes no digit.
public struct JSONNumber: Sendable, Equatable {
    /// Text that the JSON grammar of numbers accepts.
    public let literal: String

    /// A whole number.
    public init(_ value: Int64) { literal = String(value) }

    /// A finite number; nil for infinities and NaN, which JSON has not.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        literal = Int64(exactly: value).map { String($0) } ?? value.description
    }

    /// The parser's checked literal.
    init(checked literal: String) { self.literal = literal }

    /// The whole number, nil if it has a fraction or does not fit into 64 bits.
    public var integer: Int64? { Int64(literal) ?? double.flatMap { Int64(exactly: $0) } }

    /// The nearest double, nil if it is too large for one.
    public var double: Double? {
        guard let value = Double(literal), value.isFinite else { return nil }
        return value
    }
}
