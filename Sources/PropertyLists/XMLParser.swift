import Diagnostics
import FoundationEssentials
import Platform

/// Parses the XML form of a property list.
struct XMLParser {
    /// The key with which the XML form represents a reference within an archive.
    static let uidKey = "CF$UID"

    private var scanner: XMLScanner
    private var valuesLeft: Int
    private let depthLimit: Int

    static func parse(
        _ bytes: [UInt8], _ limits: PropertyListLimits
    ) throws(PropertyListError) -> PropertyList {
        var parser = XMLParser(
            scanner: try XMLScanner(bytes), valuesLeft: limits.values, depthLimit: limits.depth)
        guard try parser.tag() == .open("plist") else { throw XMLScanner.damaged }
        let value = try parser.value(try parser.tag(), depth: 0)
        guard try parser.tag() == .close("plist"), try parser.tag() == .end else {
            throw XMLScanner.damaged
        }
        return value
    }

    /// The next tag. Only white space may precede it.
    private mutating func tag() throws(PropertyListError) -> XMLScanner.Token {
        let token = try scanner.next()
        guard scanner.text.allSatisfy(XMLScanner.isSpace) else { throw XMLScanner.damaged }
        return token
    }

    private mutating func value(
        _ token: XMLScanner.Token, depth: Int
    ) throws(PropertyListError) -> PropertyList {
        valuesLeft -= 1
        guard valuesLeft >= 0, depth <= depthLimit else {
            throw PropertyListError(
                .tooLarge, "The property list has too many values or is nested too deeply.")
        }
        switch token {
        case .empty("true"): return .boolean(true)
        case .empty("false"): return .boolean(false)
        case .empty("string"): return .string("")
        case .empty("data"): return .data(Data())
        case .empty("array"): return .array([])
        case .empty("dict"): return .dictionary([:])
        case .open("array"): return try array(depth: depth)
        case .open("dict"): return try dictionary(depth: depth)
        case .open("true"):
            _ = try content("true")
            return .boolean(true)
        case .open("false"):
            _ = try content("false")
            return .boolean(false)
        case .open("string"): return .string(try text("string"))
        case .open("integer"): return try integer(try text("integer"))
        case .open("real"):
            guard let number = Double(Self.trimmed(try text("real"))) else { throw XMLScanner.damaged }
            return .real(number)
        case .open("date"):
            guard let date = CalendarTime.date(Self.trimmed(try text("date")).utf8) else {
                throw XMLScanner.damaged
            }
            return .date(date)
        case .open("data"):
            guard let bytes = Base64.decode(try content("data")) else { throw XMLScanner.damaged }
            return .data(Data(bytes))
        default: throw XMLScanner.damaged
        }
    }

    private mutating func array(depth: Int) throws(PropertyListError) -> PropertyList {
        var values: [PropertyList] = []
        while true {
            let token = try tag()
            if token == .close("array") { return .array(values) }
            values.append(try value(token, depth: depth + 1))
        }
    }

    private mutating func dictionary(depth: Int) throws(PropertyListError) -> PropertyList {
        var entries: [String: PropertyList] = [:]
        while true {
            let key: String
            switch try tag() {
            case .close("dict"):
                if entries.count == 1, case .integer(let number)? = entries[Self.uidKey], number >= 0 {
                    return .uid(UInt64(number))
                }
                return .dictionary(entries)
            case .open("key"): key = try text("key")
            case .empty("key"): key = ""
            default: throw XMLScanner.damaged
            }
            // If a key occurs twice, one value would be lost.
            guard entries[key] == nil else { throw XMLScanner.damaged }
            entries[key] = try value(try tag(), depth: depth + 1)
        }
    }

    /// The characters up to the closing tag with this name.
    private mutating func content(_ name: String) throws(PropertyListError) -> [UInt8] {
        guard try scanner.next() == .close(name) else { throw XMLScanner.damaged }
        return scanner.text
    }

    private mutating func text(_ name: String) throws(PropertyListError) -> String {
        guard let text = String(validating: try content(name), as: UTF8.self) else {
            throw XMLScanner.damaged
        }
        return text
    }

    private static func trimmed(_ text: String) -> Substring {
        var text = text[...]
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text.drop { $0.isWhitespace }
    }

    private func integer(_ text: String) throws(PropertyListError) -> PropertyList {
        let digits = Self.trimmed(text)
        let isHexadecimal = digits.lowercased().hasPrefix("0x")
        if let number = isHexadecimal ? Int64(digits.dropFirst(2), radix: 16) : Int64(digits) {
            return .integer(number)
        }
        guard let number = isHexadecimal ? UInt64(digits.dropFirst(2), radix: 16) : UInt64(digits)
        else {
            throw XMLScanner.damaged
        }
        return .unsigned(number)
    }
}
