import FoundationEssentials

/// A property list, the format of Apple's systems for settings, messages and small databases.
package indirect enum PropertyList: Sendable, Equatable {
    case string(String)
    case integer(Int64)
    /// An integer above 2⁶³-1. Smaller ones are always `integer`.
    case unsigned(UInt64)
    case real(Double)
    case boolean(Bool)
    case date(Date)
    case data(Data)
    /// A reference within an archived object graph.
    case uid(UInt64)
    case array([PropertyList])
    case dictionary([String: PropertyList])
}

extension PropertyList {
    /// The value of `key`, if this is a dictionary that contains it.
    package subscript(key: String) -> PropertyList? {
        if case .dictionary(let entries) = self { entries[key] } else { nil }
    }

    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    package var date: Date? { if case .date(let value) = self { value } else { nil } }
    package var data: Data? { if case .data(let value) = self { value } else { nil } }
    package var array: [PropertyList]? { if case .array(let value) = self { value } else { nil } }
    package var dictionary: [String: PropertyList]? {
        if case .dictionary(let value) = self { value } else { nil }
    }
}

extension PropertyList: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(arrayLiteral elements: PropertyList...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, PropertyList)...) {
        self = .dictionary(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}
