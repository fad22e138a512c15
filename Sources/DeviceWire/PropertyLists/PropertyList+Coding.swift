import Foundation

extension PropertyList {
    /// The two forms the protocols carry.
    package enum Form: Sendable {
        case xml, binary
    }

    /// The most values a list from outside may hold, shared ones counted at each use, so that a small binary list of
    /// lists of lists cannot unfold into more than memory holds.
    static let valueLimit = 200_000
    /// How deep lists from outside may be nested; the protocols need four levels.
    static let depthLimit = 64

    /// Parses an XML or binary property list that came from outside.
    package init(parsing bytes: some Sequence<UInt8>) throws(WireError) {
        let bytes = Array(bytes)
        if bytes.starts(with: Array("bplist00".utf8)) {
            self = try BinaryPropertyListParser.parse(bytes)
            return
        }
        // Foundation would take other text for the old style of property list, which no device speaks.
        guard bytes.starts(with: Array("<?xml".utf8)) else {
            throw WireError(.badPropertyList, "The message is neither an XML nor a binary property list.")
        }
        try PropertyList.checkNesting(bytes)
        let data = Data(bytes)
        let value: Any
        do {
            value = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        } catch {
            throw WireError(.badPropertyList, "The message is not a well-formed property list.")
        }
        var left = PropertyList.valueLimit
        self = try PropertyList.converted(value, depth: 0, left: &left)
    }

    /// The bytes of this list.
    package func encoded(_ form: Form = .xml) throws(WireError) -> [UInt8] {
        do {
            return [UInt8](
                try PropertyListSerialization.data(
                    fromPropertyList: foundationValue, format: form == .xml ? .xml : .binary, options: 0))
        } catch {
            throw WireError(.badPropertyList, "The property list cannot be written: \(error)")
        }
    }

    /// Refuses XML that is nested deeper than the limit before the recursive parser sees it.
    private static func checkNesting(_ bytes: [UInt8]) throws(WireError) {
        var depth = 0
        var rest = bytes[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(open + 1)...]
            if rest.starts(with: "array>".utf8) || rest.starts(with: "dict>".utf8) {
                depth += 1
            } else if rest.starts(with: "/array>".utf8) || rest.starts(with: "/dict>".utf8) {
                depth -= 1
            }
            guard depth <= depthLimit else {
                throw WireError(
                    .badPropertyList, "The property list is nested deeper than \(depthLimit) levels.")
            }
        }
    }

    private static func converted(_ value: Any, depth: Int, left: inout Int) throws(WireError) -> PropertyList
    {
        left -= 1
        guard left >= 0, depth <= depthLimit else {
            throw WireError(
                .badPropertyList, "The property list holds too many values or is nested too deep.")
        }
        // The kind of a Boolean and of a number must be asked of the object: a cast would turn 1 into true.
        if type(of: value) == Bool.self, let flag = value as? Bool { return .boolean(flag) }
        if let number = value as? NSNumber { return try converted(number) }
        switch value {
        case let text as String: return .string(text)
        case let data as Data: return .data(data)
        case let date as Date: return .date(date)
        case let values as [Any]:
            var array: [PropertyList] = []
            array.reserveCapacity(min(values.count, left))
            for value in values { array.append(try converted(value, depth: depth + 1, left: &left)) }
            return .array(array)
        case let values as [String: Any]:
            var dictionary: [String: PropertyList] = [:]
            for (key, value) in values {
                dictionary[key] = try converted(value, depth: depth + 1, left: &left)
            }
            return .dictionary(dictionary)
        default:
            throw WireError(.badPropertyList, "The property list holds a value of a kind no device sends.")
        }
    }

    private static func converted(_ number: NSNumber) throws(WireError) -> PropertyList {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return .real(number.doubleValue)
        case UInt8(ascii: "Q"):
            guard let value = Int64(exactly: number.uint64Value) else {
                throw WireError(.badPropertyList, "The property list holds an integer beyond 63 bits.")
            }
            return .integer(value)
        default: return .integer(number.int64Value)
        }
    }

    private var foundationValue: Any {
        switch self {
        case .string(let value): value
        case .integer(let value): value
        case .real(let value): value
        case .boolean(let value): value
        case .date(let value): value
        case .data(let value): value
        case .array(let values): values.map(\.foundationValue)
        case .dictionary(let values): values.mapValues(\.foundationValue)
        }
    }
}
