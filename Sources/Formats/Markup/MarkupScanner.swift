/// Finds the start tag of the root element at the beginning of a document.
///
/// It does not expand entities, fetch document types, or look beyond the tag, so documents that are truncated or
/// damaged after it are recognized too. It accepts attribute values without quotes, because HTML has them.
struct MarkupScanner {
    /// The result of scanning the beginning of a document.
    enum Result {
        /// The start tag of the root was found.
        case found(MarkupStart)
        /// The bytes end before the start tag. The value is what is known so far.
        case unfinished(MarkupStart?)
        /// The content is not markup.
        case absent
    }

    /// The reason why the scan ended early.
    enum Stop: Error {
        case end
        case malformed
    }

    var bytes: [UInt8]
    var position = 0
    /// Whether bytes above 127 are ISO 8859-1 instead of UTF-8.
    var isLatin1 = false
    private var start = MarkupStart(doctype: nil, beginsWithDoctype: false, root: nil)

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Scans the first bytes of a document.
    static func scan(_ bytes: [UInt8]) -> Result {
        var scanner = MarkupScanner(WideText.markup(bytes) ?? bytes)
        if scanner.starts(with: [0xEF, 0xBB, 0xBF]) { scanner.position = 3 }
        do throws(Stop) {
            try scanner.prologue()
            scanner.start.root = try scanner.rootTag()
            return .found(scanner.start)
        } catch {
            let known = scanner.start.doctype == nil ? nil : scanner.start
            switch error {
            case .end: return .unfinished(known)
            case .malformed: return known.map { .found($0) } ?? .absent
            }
        }
    }

    /// Skips declarations, comments, processing instructions and the document type, up to the root.
    private mutating func prologue() throws(Stop) {
        var sawOther = false
        var isFirst = true
        while true {
            skipBlanks()
            guard try peek() == UInt8(ascii: "<") else { throw .malformed }
            guard position + 1 < bytes.count else { throw .end }
            switch bytes[position + 1] {
            case UInt8(ascii: "?"):
                if isFirst, isDeclaration { try declaration() } else { sawOther = true }
                try skip(past: "?>")
            case UInt8(ascii: "!"):
                if startsWith("<!--") {
                    position += 4
                    try skip(past: "-->")
                    sawOther = true
                } else if try isDoctype() {
                    start.beginsWithDoctype = !sawOther
                    try doctype()
                } else {
                    throw .malformed
                }
            default: return
            }
            isFirst = false
        }
    }

    private var isDeclaration: Bool {
        startsWith("<?xml") && position + 5 < bytes.count && HTTPToken.isBlank(bytes[position + 5])
    }

    /// Reads the encoding from an XML declaration.
    private mutating func declaration() throws(Stop) {
        var rest = self
        try rest.skip(past: "?>")
        isLatin1 = MarkupScanner.namesLatin1(bytes[position..<rest.position])
    }

    /// Whether `encoding=` is followed by a name of ISO 8859-1 or of an encoding that extends it.
    private static func namesLatin1(_ declaration: ArraySlice<UInt8>) -> Bool {
        var rest = declaration
        while rest.count > 8, !rest.starts(with: "encoding".utf8) { rest.removeFirst() }
        rest = rest.dropFirst(8).drop { HTTPToken.isBlank($0) || $0 == UInt8(ascii: "=") }
        rest = rest.drop { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
        let name = rest.prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") }.map(HTTPToken.lowered)
        return ["iso-8859-1", "latin1", "windows-1252"].contains { name.elementsEqual($0.utf8) }
    }

    // MARK: document type

    /// Whether a document type is next: `<!DOCTYPE` in any case, as HTML allows.
    private func isDoctype() throws(Stop) -> Bool {
        let keyword = Array("<!doctype".utf8)
        for (offset, expected) in keyword.enumerated() {
            guard position + offset < bytes.count else { throw .end }
            guard HTTPToken.lowered(bytes[position + offset]) == expected else { return false }
        }
        return true
    }

    private mutating func doctype() throws(Stop) {
        let isXml = startsWith("<!DOCTYPE")
        position += 9
        guard HTTPToken.isBlank(try peek()) else { throw .malformed }
        skipBlanks()
        let nameStart = position
        while try !HTTPToken.isBlank(peek()), try peek() != UInt8(ascii: ">"), try peek() != UInt8(ascii: "[")
        {
            position += 1
        }
        let name = text(nameStart..<position)
        // Only HTML allows the keyword in lower case.
        guard isXml || HTTPToken.lowered(name) == "html" else { throw .malformed }
        start.doctype = start.doctype ?? name
        try skipDoctype()
    }

    /// Skips the identifiers and the internal subset.
    private mutating func skipDoctype() throws(Stop) {
        var isInside = false
        while true {
            let byte = try peek()
            position += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                while try peek() != byte { position += 1 }
                position += 1
            case UInt8(ascii: "["): isInside = true
            case UInt8(ascii: "]"): isInside = false
            case UInt8(ascii: ">"): if !isInside { return }
            case UInt8(ascii: "<") where isInside:
                if startsWith("!--") {
                    try skip(past: "-->")
                } else if startsWith("?") {
                    try skip(past: "?>")
                }
            default: break
            }
        }
    }

    // MARK: bytes

    func peek() throws(Stop) -> UInt8 {
        guard position < bytes.count else { throw .end }
        return bytes[position]
    }

    mutating func skipBlanks() {
        while position < bytes.count, HTTPToken.isBlank(bytes[position]) { position += 1 }
    }

    /// Decodes the bytes in the document's encoding.
    func text(_ range: Range<Int>) -> String {
        guard isLatin1, bytes[range].contains(where: { $0 >= 0x80 }) else {
            return String(decoding: bytes[range], as: UTF8.self)
        }
        return String(String.UnicodeScalarView(bytes[range].map { Unicode.Scalar($0) }))
    }

    private func starts(with expected: [UInt8]) -> Bool { bytes[position...].starts(with: expected) }

    private func startsWith(_ expected: StaticString) -> Bool {
        guard bytes.count - position >= expected.utf8CodeUnitCount else { return false }
        return expected.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    /// Moves past the next occurrence of a text.
    private mutating func skip(past end: StaticString) throws(Stop) {
        let last = end.utf8CodeUnitCount
        while bytes.count - position >= last {
            if startsWith(end) {
                position += last
                return
            }
            position += 1
        }
        throw .end
    }
}
