/// The fields of an HTTP message in their original order. Names are case-insensitive.
///
/// ```swift
/// var headers: HTTPHeaders = ["Content-Type": "text/html"]
/// headers.add("Vary", "Accept")
/// headers.add("Vary", "Cookie")
/// print(headers["vary"] ?? "", headers.values("Vary").count)
/// ```
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One field.
    public struct Field: Sendable, Equatable {
        /// The name as written.
        public var name: String
        /// The value without surrounding white space.
        public var value: String
    }

    /// All fields, including repeated names.
    public private(set) var fields: [Field] = []

    /// Creates a list without fields.
    public init() {}

    /// Creates fields in the order of the literal.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// The value of a name. Several values are joined by `, ` as RFC 9110 section 5.3 allows; for `Set-Cookie`, which
    /// must not be joined, it is the first value. Setting it replaces all values of that name, and nil removes them.
    public subscript(name: String) -> String? {
        get {
            let found = values(name)
            guard found.count > 1, !Self.sameName(name, "Set-Cookie") else { return found.first }
            return found.joined(separator: ", ")
        }
        set {
            fields.removeAll { Self.sameName($0.name, name) }
            if let newValue { add(name, newValue) }
        }
    }

    /// All values of a name, in order.
    public func values(_ name: String) -> [String] {
        fields.filter { Self.sameName($0.name, name) }.map(\.value)
    }

    /// Appends a field.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Appends a continuation line to the last field, as old servers wrap long values.
    mutating func continueLast(_ text: String) {
        guard let last = fields.indices.last else { return }
        fields[last].value += " " + text
    }

    /// The first field that cannot be sent because its name is not a token, or a line break would start another
    /// field.
    var firstInvalid: Field? {
        fields.first { field in
            field.name.isEmpty || !field.name.utf8.allSatisfy(Self.isToken)
                || !field.value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
        }
    }

    private static func sameName(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { ASCII.lower($0) == ASCII.lower($1) }
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
