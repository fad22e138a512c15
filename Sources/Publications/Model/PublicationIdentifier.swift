/// Something that identifies a publication, such as an ISBN.
public struct PublicationIdentifier: Hashable, Sendable {
    /// The kind of identifier in lower case, such as `isbn` or `uuid`; nil if it is unknown.
    public var scheme: String?
    /// The value without the scheme's prefix.
    public var value: String
    /// Whether the publication states the scheme next to the value or as a prefix. False if the scheme was inferred
    /// from the form of the value.
    public var isSchemeStated: Bool

    /// Creates an identifier with a scheme and a value that are not checked.
    public init(scheme: String?, value: String) {
        self.init(scheme: scheme, value: value, isSchemeStated: scheme != nil)
    }

    private init(scheme: String?, value: String, isSchemeStated: Bool) {
        self.scheme = scheme
        self.value = value
        self.isSchemeStated = isSchemeStated
    }

    /// Whether the scheme and the value are equal, regardless of `isSchemeStated`.
    public static func == (left: Self, right: Self) -> Bool {
        left.scheme == right.scheme && left.value == right.value
    }

    /// Hashes the scheme and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(value)
    }

    /// Names of schemes.
    public enum Scheme {
        /// Amazon Standard Identification Number.
        public static let asin = "asin"
        /// The UUID that a calibre library assigned to the book.
        public static let calibre = "calibre"
        /// Digital Object Identifier.
        public static let doi = "doi"
        /// International Standard Book Number, of 10 or 13 digits.
        public static let isbn = "isbn"
        /// International Standard Serial Number.
        public static let issn = "issn"
        /// A web address or another URI.
        public static let uri = "uri"
        /// A UUID.
        public static let uuid = "uuid"
    }

    /// Parses an identifier as publications write it: `urn:uuid:…`, `isbn:…`, `doi:…`, a bare UUID, a web address, or
    /// a value with a separate scheme.
    ///
    /// - Parameter statedScheme: the scheme that the publication states, in any case. If the value has the same
    ///   scheme as a prefix, the prefix is removed. The result is nil if the text is empty.
    public init?(text: String, scheme statedScheme: String? = nil) {
        var value = Substring(text.trimmingSpace())
        var scheme = statedScheme.map { $0.trimmingSpace().lowercased() }
        if scheme?.isEmpty == true { scheme = nil }
        if value.hasPrefix(ignoringCase: "urn:") {
            let rest = value.dropFirst(4)
            guard let colon = rest.firstIndex(of: ":") else { return nil }
            let name = rest[..<colon].lowercased()
            value = rest[rest.index(after: colon)...]
            if scheme == nil || scheme == "urn" || scheme == "uri" { scheme = name }
        } else {
            for name in [Scheme.isbn, Scheme.doi, Scheme.uuid, Scheme.calibre, Scheme.issn, Scheme.asin]
            where value.hasPrefix(ignoringCase: name + ":") && (scheme == nil || scheme == name) {
                value = value.dropFirst(name.utf8.count + 1)
                scheme = name
                break
            }
        }
        let trimmed = String(value).trimmingSpace()
        guard !trimmed.isEmpty else { return nil }
        let isSchemeStated = scheme != nil
        if scheme == nil {
            if Self.canonicalUUID(trimmed) != nil {
                scheme = Scheme.uuid
            } else if trimmed.contains("://") {
                scheme = Scheme.uri
            } else if trimmed.utf8.count >= 13, Self.canonicalISBN(trimmed) != nil {
                // Ten digits could be any number, but thirteen with a correct check digit are an ISBN.
                scheme = Scheme.isbn
            }
        }
        self.init(scheme: scheme, value: trimmed, isSchemeStated: isSchemeStated)
    }

    /// The value as a UUID in lower case, if it is one and the scheme does not contradict it.
    public var uuid: String? {
        guard scheme == nil || scheme == Scheme.uuid || scheme == Scheme.calibre else { return nil }
        return Self.canonicalUUID(value)
    }

    /// The value as an ISBN without hyphens, if the scheme is `isbn` and the check digit is correct.
    public var isbn: String? {
        guard scheme == Scheme.isbn || scheme == "isbn-10" || scheme == "isbn-13" else { return nil }
        return Self.canonicalISBN(value)
    }

    /// A UUID of the form 8-4-4-4-12 in lower case; nil for any other text, and for the nil and max UUIDs, which
    /// identify nothing (RFC 9562, sections 5.9 and 5.10).
    public static func canonicalUUID(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        for (index, byte) in bytes.enumerated() {
            let isHyphen = byte == UInt8(ascii: "-")
            if [8, 13, 18, 23].contains(index) {
                guard isHyphen else { return nil }
            } else {
                guard Character(Unicode.Scalar(byte)).isHexDigit else { return nil }
            }
        }
        let canonical = text.lowercased()
        let digits = Set(canonical.utf8).subtracting([UInt8(ascii: "-")])
        return digits == [UInt8(ascii: "0")] || digits == [UInt8(ascii: "f")] ? nil : canonical
    }

    private static func canonicalISBN(_ text: String) -> String? {
        var digits: [Int] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(Int(byte) - 48)
            case UInt8(ascii: "X"), UInt8(ascii: "x"): digits.append(10)
            case UInt8(ascii: "-"), UInt8(ascii: " "): continue
            default: return nil
            }
            guard digits.count <= 13 else { return nil }
        }
        switch digits.count {
        case 10:
            guard !digits.dropLast().contains(10) else { return nil }
            let sum = digits.enumerated().reduce(0) { $0 + (10 - $1.offset) * $1.element }
            guard sum % 11 == 0 else { return nil }
        case 13:
            guard !digits.contains(10), digits[0] == 9, digits[1] == 7, digits[2] >= 8 else { return nil }
            let sum = digits.enumerated().reduce(0) { $0 + ($1.offset % 2 == 0 ? 1 : 3) * $1.element }
            guard sum % 10 == 0 else { return nil }
        default:
            return nil
        }
        return digits.map { $0 == 10 ? "X" : String($0) }.joined()
    }
}
