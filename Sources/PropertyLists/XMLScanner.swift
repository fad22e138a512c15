import Diagnostics

/// Splits the markup of an XML property list into tokens. It supports only tags and text, because property lists need
/// nothing else. All other markup is refused.
struct XMLScanner {
    /// One piece of markup.
    enum Token: Equatable {
        case open(String)
        case close(String)
        /// An empty element, `<name/>`.
        case empty(String)
        case end
    }

    private let bytes: [UInt8]
    private var position: Int
    /// The text before the last token, with references resolved. Only white space is treated specially.
    private(set) var text: [UInt8] = []

    /// - Throws: `unsupported` for bytes that begin like UTF-16, which is not read.
    init(_ bytes: [UInt8]) throws(PropertyListError) {
        self.bytes = bytes
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard bytes.first != 0xFE, bytes.first != 0xFF else {
            throw PropertyListError(.unsupported, "Only property lists in UTF-8 are supported.")
        }
    }

    static var damaged: PropertyListError {
        PropertyListError(.malformed, "This is neither an XML nor a binary property list.")
    }

    /// The next tag. Sets `text` to the characters before it.
    mutating func next() throws(PropertyListError) -> Token {
        text.removeAll(keepingCapacity: true)
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == UInt8(ascii: "<") else {
                try takeCharacter(byte)
                continue
            }
            if has("<!--") {
                try skip(past: "-->")
            } else if has("<![CDATA[") {
                let start = position + 9
                try skip(past: "]]>")
                for byte in bytes[start..<(position - 3)] { take(byte) }
            } else if has("<?") {
                try takeInstruction()
            } else if has("<!") {
                try skipDocumentType()
            } else {
                return try tag()
            }
        }
        return .end
    }

    private func has(_ prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard count <= bytes.count - position else { return false }
        for index in 0..<count where bytes[position + index] != prefix.utf8Start[index] { return false }
        return true
    }

    private mutating func skip(past mark: StaticString) throws(PropertyListError) {
        while position < bytes.count {
            if has(mark) {
                position += mark.utf8CodeUnitCount
                return
            }
            position += 1
        }
        throw Self.damaged
    }

    /// Checks a processing instruction. The XML declaration may name an encoding, which must be the one that is used;
    /// other instructions are ignored.
    private mutating func takeInstruction() throws(PropertyListError) {
        let start = position
        try skip(past: "?>")
        let words = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
            .split { " =\"'?\t\r\n".contains($0) }
        guard words.first == "<", words.dropFirst().first == "xml" else { return }
        guard let place = words.firstIndex(of: "encoding"), place + 1 < words.count else { return }
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(words[place + 1]) else {
            throw PropertyListError(.unsupported, "Only property lists in UTF-8 are supported.")
        }
    }

    /// Skips the document type, which names Apple's definition. That is not fetched. A document type with its own
    /// definitions is refused.
    private mutating func skipDocumentType() throws(PropertyListError) {
        guard has("<!DOCTYPE") else { throw Self.damaged }
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: ">"):
                position += 1
                return
            case UInt8(ascii: "["):
                throw PropertyListError(.unsupported, "The property list contains its own definitions.")
            default: position += 1
            }
        }
        throw Self.damaged
    }

    private mutating func tag() throws(PropertyListError) -> Token {
        position += 1
        let isClosing = position < bytes.count && bytes[position] == UInt8(ascii: "/")
        if isClosing { position += 1 }
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
            guard bytes[position] != UInt8(ascii: "<") else { throw Self.damaged }
            position += 1
        }
        guard position < bytes.count else { throw Self.damaged }
        var content = bytes[start..<position]
        position += 1
        let isEmpty = !isClosing && content.last == UInt8(ascii: "/")
        if isEmpty { content = content.dropLast() }
        // Attributes, such as the version of the list, are ignored.
        let name = content.prefix { !Self.isSpace($0) }
        guard (1...16).contains(name.count) else { throw Self.damaged }
        let text = String(decoding: name, as: UTF8.self)
        return isClosing ? .close(text) : isEmpty ? .empty(text) : .open(text)
    }

    /// Whether a byte is white space.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private mutating func takeCharacter(_ byte: UInt8) throws(PropertyListError) {
        guard byte == UInt8(ascii: "&") else {
            position += 1
            // A line end counts as one character (XML 1.0, 2.11).
            if byte == 0x0D {
                if position < bytes.count, bytes[position] == 0x0A { return }
                return take(0x0A)
            }
            return take(byte)
        }
        let rest = bytes[(position + 1)...].prefix(12)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { throw Self.damaged }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        position = end + 1
        switch name {
        case "amp": take(UInt8(ascii: "&"))
        case "lt": take(UInt8(ascii: "<"))
        case "gt": take(UInt8(ascii: ">"))
        case "quot": take(UInt8(ascii: "\""))
        case "apos": take(UInt8(ascii: "'"))
        default:
            guard name.first == "#" else {
                throw PropertyListError(.unsupported, "The property list uses its own entity.")
            }
            let digits = name.dropFirst()
            let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            guard let number, number > 0, let scalar = Unicode.Scalar(number) else { throw Self.damaged }
            text += Array(String(scalar).utf8)
        }
    }

    private mutating func take(_ byte: UInt8) { text.append(byte) }
}
