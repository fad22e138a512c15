import Diagnostics
import FoundationEssentials
import Platform

/// Writes the XML form of a property list in the layout of Apple's own tools.
struct XMLWriter {
    private var bytes: [UInt8] = []

    static func write(_ list: PropertyList) throws(PropertyListError) -> [UInt8] {
        var writer = XMLWriter()
        writer.put(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """)
        try writer.put(list, indent: 0)
        writer.put("</plist>\n")
        return writer.bytes
    }

    private mutating func put(_ value: PropertyList, indent: Int) throws(PropertyListError) {
        switch value {
        case .string(let text): try line(indent, "string", text)
        case .integer(let number): try line(indent, "integer", "\(number)")
        case .unsigned(let number): try line(indent, "integer", "\(number)")
        case .real(let number): try line(indent, "real", Self.text(number))
        case .boolean(let flag): begin(indent, flag ? "<true/>\n" : "<false/>\n")
        case .date(let date):
            guard let text = CalendarTime.text(date) else {
                throw PropertyListError(
                    .unsupported,
                    "The property list contains a date that is out of "
                        + "range.")
            }
            try line(indent, "date", text)
        case .data(let data):
            begin(indent, "<data>\n")
            let text = Base64.encode(Array(data))
            for start in stride(from: 0, to: text.count, by: 68) {
                begin(indent, "")
                bytes += text[start..<min(start + 68, text.count)]
                put("\n")
            }
            begin(indent, "</data>\n")
        case .uid(let number):
            try put(.dictionary([XMLParser.uidKey: .integer(Int64(clamping: number))]), indent: indent)
        case .array(let values):
            guard !values.isEmpty else { return begin(indent, "<array/>\n") }
            begin(indent, "<array>\n")
            for value in values { try put(value, indent: indent + 1) }
            begin(indent, "</array>\n")
        case .dictionary(let entries):
            guard !entries.isEmpty else { return begin(indent, "<dict/>\n") }
            begin(indent, "<dict>\n")
            for key in entries.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                guard let value = entries[key] else { continue }
                try line(indent + 1, "key", key)
                try put(value, indent: indent + 1)
            }
            begin(indent, "</dict>\n")
        }
    }

    private static func text(_ number: Double) -> String {
        if number.isNaN { return "nan" }
        if number.isInfinite { return number < 0 ? "-infinity" : "+infinity" }
        return number.magnitude < 1e15 && number == number.rounded() ? "\(Int64(number))" : "\(number)"
    }

    private mutating func line(_ indent: Int, _ tag: String, _ text: String) throws(PropertyListError) {
        guard text.unicodeScalars.allSatisfy(XMLText.isAllowed) else {
            throw PropertyListError(
                .unsupported, "The property list contains a character that XML does not allow.")
        }
        begin(indent, "<\(tag)>")
        put(XMLText.escaped(text))
        put("</\(tag)>\n")
    }

    private mutating func begin(_ indent: Int, _ text: String) {
        bytes += [UInt8](repeating: UInt8(ascii: "\t"), count: indent)
        put(text)
    }

    private mutating func put(_ text: String) { bytes += text.utf8 }
}
