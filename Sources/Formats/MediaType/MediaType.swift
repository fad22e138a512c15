/// One media type of RFC 6838, such as `application/epub+zip` or `text/html;charset=UTF-8`.
///
/// The value is normalised once, when it is parsed: type, subtype and parameter names are lower case, a `charset`
/// has its registered spelling in upper case. Comparing is then a comparison of bytes. Values are immutable and may
/// be used from any thread.
///
/// ```swift
/// let type = MediaType("Text/HTML; charset=utf8")
/// print(type?.string ?? "not a media type")  // text/html;charset=UTF-8
/// print(type.map { MediaType.html.contains($0) } ?? false)  // true
/// ```
public struct MediaType: Sendable {
    /// `type/subtype`, lower case.
    package let essence: String
    /// Where the solidus stands in `essence`, in bytes.
    let solidus: Int
    /// The parameters, sorted by name, no name twice: cheaper to make and to compare than a dictionary.
    let sortedParameters: [Parameter]
    /// Whether the type before the solidus, and the subtype after it, is `*`.
    let anyType: Bool, anySubtype: Bool

    /// The type that a text spells, nil if it spells none.
    ///
    /// Reads leniently what RFC 9110 section 8.3.1 allows and servers send: blanks around every piece, quoted
    /// values, empty and nameless parameters (left out), a parameter named twice (the first counts). Wildcards are
    /// ordinary types. Never traps.
    public init?(_ string: String) {
        guard let value = MediaType.parse(string) else { return nil }
        self = value
    }

    /// A type from parts that are known to be normalised.
    init(essence: String, solidus: Int, sortedParameters: [Parameter]) {
        self.essence = essence
        self.solidus = solidus
        self.sortedParameters = sortedParameters
        let bytes = essence.utf8
        anyType = solidus == 1 && bytes.first == UInt8(ascii: "*")
        anySubtype = bytes.count == solidus + 2 && bytes.last == UInt8(ascii: "*")
    }

    /// The parameters: names in lower case, values without quotes, as written except for `charset`.
    public var parameters: [String: String] {
        var parameters: [String: String] = [:]
        for parameter in sortedParameters { parameters[parameter.name] = parameter.value }
        return parameters
    }

    /// One parameter.
    struct Parameter: Hashable, Sendable {
        /// A token in lower case.
        var name: String
        /// Any text.
        var value: String
    }

    /// The value of a parameter by its name in lower case.
    func parameter(_ name: String) -> String? { sortedParameters.first { $0.name == name }?.value }

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
        left.essence == right.essence && left.sortedParameters == right.sortedParameters
    }

    /// Feeds what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(essence)
        hasher.combine(sortedParameters)
    }
}
