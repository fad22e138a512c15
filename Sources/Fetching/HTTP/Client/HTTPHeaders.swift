/// The fields of an HTTP message in the order they came, found by names without regard to case.
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
        /// As it was written.
        public var name: String
        /// Without blanks around it.
        public var value: String
    }

    /// Every field, repeated names included.
    public private(set) var fields: [Field] = []

    /// No fields.
    public init() {}

    /// Fields in the order of the literal.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// The value of a name; several joined by `, ` as RFC 9110 section 5.3 allows. Of `Set-Cookie`, which must not be joined,
    /// only the first. Setting replaces all of that name, nil removes them.
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

    /// Every value of a name, in order.
    public func values(_ name: String) -> [String] {
        fields.filter { Self.sameName($0.name, name) }.map(\.value)
    }

    /// Appends a field.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Adds to the last field what followed on its own line, as old servers wrap long values.
    mutating func continueLast(_ text: String) {
        guard let last = fields.indices.last else { return }
        fields[last].value += " " + text
    }

    /// The first field that cannot be sent, because its name is not a token or a line break would start another field.
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
