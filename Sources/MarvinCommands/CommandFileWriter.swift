import Platform

/// Writes the protocol's XML: well-formed XML 1.0 in UTF-8 with a byte-order mark, for any values.
///
/// Characters that XML 1.0 does not support (control characters other than tab, line feed and carriage return, U+FFFE
/// and U+FFFF) are omitted. In attributes, these three white space characters are written as character references,
/// because parsers replace them by spaces otherwise. In text, only the carriage return requires this.
struct CommandFileWriter {
    private(set) var bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    init() {
        raw("<?xml version='1.0' encoding='utf-8'?>\n")
    }

    /// Opens an element. Attributes without a value are omitted.
    mutating func open(_ name: String, _ attributes: KeyValuePairs<String, String?> = [:]) {
        raw("<")
        raw(name)
        for (key, value) in attributes {
            guard let value else { continue }
            raw(" ")
            raw(key)
            raw("=\"")
            escape(value, inAttribute: true)
            raw("\"")
        }
        raw(">")
    }

    /// Closes an element.
    mutating func close(_ name: String) {
        raw("</")
        raw(name)
        raw(">")
    }

    /// Writes an element that only contains text.
    mutating func element(
        _ name: String, _ text: String, _ attributes: KeyValuePairs<String, String?> = [:]
    ) {
        open(name, attributes)
        escape(text, inAttribute: false)
        close(name)
    }

    /// Writes a list such as `<collections><collection>a</collection></collections>`.
    mutating func list(_ name: String, of item: String, _ values: [String]) {
        open(name)
        for value in values { element(item, value) }
        close(name)
    }

    /// Writes a line feed between elements.
    mutating func newLine() {
        bytes.append(0x0A)
    }

    /// Writes text that does not require escaping.
    mutating func raw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes ASCII bytes that do not require escaping.
    mutating func raw(_ ascii: [UInt8]) {
        bytes.append(contentsOf: ascii)
    }

    private mutating func escape(_ text: String, inAttribute: Bool) {
        raw(XMLText.escaped(text, quotes: inAttribute ? .double : .none, whiteSpace: inAttribute))
    }
}
