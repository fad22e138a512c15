import OverlayABI

/// One preference of the overlay; the Swift form of `ovl_option`.
public struct OverlayOption: Hashable, Sendable {
    /// Type of a preference: `OVL_OPTION_…`. An open set.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The number in the C contract.
        public var rawValue: UInt32

        /// A type by its number in the C contract.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// true or false.
        public static let bool = Kind(rawValue: OVL_OPTION_BOOL)
        /// A whole number.
        public static let integer = Kind(rawValue: OVL_OPTION_INTEGER)
        /// A number.
        public static let number = Kind(rawValue: OVL_OPTION_NUMBER)
        /// A text.
        public static let text = Kind(rawValue: OVL_OPTION_TEXT)
        /// A list of texts.
        public static let texts = Kind(rawValue: OVL_OPTION_TEXTS)
        /// A JSON object.
        public static let object = Kind(rawValue: OVL_OPTION_OBJECT)
    }

    /// Key in the prefs file; begins with the overlay's id and `_`, or is one of the historical keys of its app.
    public var key: String
    /// Type of the value.
    public var kind: Kind
    /// Default, as JSON text.
    public var fallbackJSON: String
    /// Smallest and largest number.
    public var range: ClosedRange<Double>?
    /// Texts that are allowed; nil: any.
    public var allowed: [String]?
    /// A few words.
    public var label: String
    /// One sentence.
    public var help: String

    /// A preference whose default is given as JSON text.
    public init(
        key: String, kind: Kind, fallbackJSON: String, range: ClosedRange<Double>? = nil,
        allowed: [String]? = nil, label: String, help: String
    ) {
        self.key = key
        self.kind = kind
        self.fallbackJSON = fallbackJSON
        self.range = range
        self.allowed = allowed
        self.label = label
        self.help = help
    }

    /// A switch.
    public static func bool(_ key: String, _ fallback: Bool, label: String, help: String) -> OverlayOption {
        OverlayOption(
            key: key, kind: .bool, fallbackJSON: fallback ? "true" : "false", label: label, help: help)
    }

    /// A whole number, within a range if one is given.
    public static func integer(
        _ key: String, _ fallback: Int, in range: ClosedRange<Int>? = nil, label: String, help: String
    ) -> OverlayOption {
        let bounds = range.map { Double($0.lowerBound)...Double($0.upperBound) }
        return OverlayOption(
            key: key, kind: .integer, fallbackJSON: "\(fallback)", range: bounds, label: label, help: help)
    }

    /// A text, one of `allowed` if that is given.
    public static func text(
        _ key: String, _ fallback: String, allowed: [String]? = nil, label: String, help: String
    ) -> OverlayOption {
        OverlayOption(
            key: key, kind: .text, fallbackJSON: jsonText(fallback), allowed: allowed, label: label,
            help: help)
    }

    /// A list of texts.
    public static func texts(
        _ key: String, _ fallback: [String], allowed: [String]? = nil, label: String, help: String
    ) -> OverlayOption {
        let json = "[" + fallback.map(jsonText).joined(separator: ", ") + "]"
        return OverlayOption(
            key: key, kind: .texts, fallbackJSON: json, allowed: allowed, label: label, help: help)
    }

    /// A text as a JSON string, quoted and escaped (RFC 8259, section 7).
    private static func jsonText(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}
