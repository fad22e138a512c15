/// A media type of RFC 6838, such as `application/epub+zip` or `text/html;charset=UTF-8`.
///
/// The value is normalized once, when it is parsed: type, subtype and parameter names are in lower case, and a
/// `charset` has its registered spelling in upper case. A comparison then only compares bytes. Values are immutable
/// and may be used from any thread.
///
/// ```swift
/// let type = MediaType("Text/HTML; charset=utf8")
/// print(type?.string ?? "not a media type")  // text/html;charset=UTF-8
/// print(type.map { MediaType.html.contains($0) } ?? false)  // true
/// ```
public struct MediaType: Sendable {
    /// The text `type/subtype` in lower case.
    package let essence: String
    /// The offset of the slash in `essence`, in bytes.
    let solidus: Int
    /// The parameters, sorted by name and without repeated names. This is cheaper to create and compare than a
    /// dictionary.
    let sortedParameters: [Parameter]
    /// Whether the type, and the subtype, is `*`.
    let anyType: Bool, anySubtype: Bool

    /// Parses a media type; nil if the text is not one.
    ///
    /// The parser is lenient with what RFC 9110 section 8.3.1 allows and servers send: white space around every part,
    /// quoted values, empty and nameless parameters (ignored), and repeated parameters (the first one counts).
    /// Wildcards are ordinary types. Never traps.
    public init?(_ string: String) {
        guard let value = MediaType.parse(string) else { return nil }
        self = value
    }

    /// Creates a type from parts that are known to be normalized.
    init(essence: String, solidus: Int, sortedParameters: [Parameter]) {
        self.essence = essence
        self.solidus = solidus
        self.sortedParameters = sortedParameters
        let bytes = essence.utf8
        anyType = solidus == 1 && bytes.first == UInt8(ascii: "*")
        anySubtype = bytes.count == solidus + 2 && bytes.last == UInt8(ascii: "*")
    }

    /// The parameters. Names are in lower case; values are without quotes and as written, except for `charset`.
    public var parameters: [String: String] {
        var parameters: [String: String] = [:]
        for parameter in sortedParameters { parameters[parameter.name] = parameter.value }
        return parameters
    }

    /// One parameter.
    struct Parameter: Hashable, Sendable {
        /// The name, a token in lower case.
        var name: String
        /// The value, which may be any text.
        var value: String
    }

    /// The value of a parameter, by its name in lower case.
    func parameter(_ name: String) -> String? { sortedParameters.first { $0.name == name }?.value }

    /// The part before the slash, in lower case: `application`.
    public var type: String { String(decoding: essence.utf8.prefix(solidus), as: UTF8.self) }

    /// The part after the slash, in lower case: `epub+zip`.
    public var subtype: String { String(decoding: essence.utf8.dropFirst(solidus + 1), as: UTF8.self) }

    /// The last `+` of the subtype and the part after it, such as `+zip` (RFC 6838 section 4.2.8); nil if there is
    /// none.
    public var structuredSyntaxSuffix: String? {
        let subtype = essence.utf8.dropFirst(solidus + 1)
        guard let plus = subtype.lastIndex(of: UInt8(ascii: "+")) else { return nil }
        let suffix = subtype[plus...]
        return suffix.count > 1 ? String(decoding: suffix, as: UTF8.self) : nil
    }
}

extension MediaType: Hashable {
    /// Whether the type, subtype and all parameters are equal, regardless of the parameter order.
    public static func == (left: MediaType, right: MediaType) -> Bool {
        left.essence == right.essence && left.sortedParameters == right.sortedParameters
    }

    /// Hashes the values that `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(essence)
        hasher.combine(sortedParameters)
    }
}
