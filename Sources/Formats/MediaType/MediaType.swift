/// One media type of RFC 6838, such as `application/epub+zip` or `text/html;charset=UTF-8`.
///
/// The value is normalised once, when it is parsed: type, subtype and parameter names are lower case, a `charset`
/// has its registered spelling in upper case. Comparing is then a comparison of bytes. Values are immutable and may
/// be used from any thread.
public struct MediaType: Sendable {
    /// `type/subtype`, lower case.
    package let essence: String
    /// Where the solidus stands in `essence`, in bytes.
    let solidus: Int
    /// The parameters: names in lower case, values without quotes, as written except for `charset`.
    public let parameters: [String: String]
    /// Whether the type before the solidus, and the subtype after it, is `*`.
    let anyType: Bool, anySubtype: Bool

    /// The type that a text spells, nil if it spells none.
    ///
    /// Reads leniently what RFC 9110 section 8.3.1 allows and servers send: blanks around every piece, quoted
    /// values, empty and nameless parameters (left out), a parameter named twice (the first counts). Wildcards are
    /// ordinary types. Never traps, whatever the text.
    public init?(_ string: String) {
        guard let value = MediaType.parse(string) else { return nil }
        self = value
    }

    /// A type from parts that are known to be normalised.
    init(essence: String, solidus: Int, parameters: [String: String]) {
        self.essence = essence
        self.solidus = solidus
        self.parameters = parameters
        let bytes = essence.utf8
        anyType = solidus == 1 && bytes.first == UInt8(ascii: "*")
        anySubtype = bytes.count == solidus + 2 && bytes.last == UInt8(ascii: "*")
    }

    /// The part before the solidus, in lower case: `application`.
    public var type: String { String(decoding: essence.utf8.prefix(solidus), as: UTF8.self) }

    /// The part after the solidus, in lower case: `epub+zip`.
    public var subtype: String { String(decoding: essence.utf8.dropFirst(solidus + 1), as: UTF8.self) }

    /// The last `+` of the subtype and what follows it, such as `+zip` (RFC 6838 section 4.2.8); nil without one.
    public var structuredSyntaxSuffix: String? {
        let subtype = essence.utf8.dropFirst(solidus + 1)
        guard let plus = subtype.lastIndex(of: UInt8(ascii: "+")) else { return nil }
        let suffix = subtype[plus...]
        return suffix.count > 1 ? String(decoding: suffix, as: UTF8.self) : nil
    }
}

extension MediaType: Hashable {
    /// Whether type, subtype and all parameters are equal; the order they were written in does not matter.
    public static func == (left: MediaType, right: MediaType) -> Bool {
        left.essence == right.essence && left.parameters == right.parameters
    }

    /// Feeds what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(essence)
        hasher.combine(parameters)
    }
}
