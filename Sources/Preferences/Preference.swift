import JSON

/// One key of the preferences file: its type, default, limits and meaning.
public struct Preference: Sendable, Equatable {
    /// The types a value can have; the numbers are those of the ABI's `OVL_OPTION_…`.
    public enum ValueType: UInt32, Sendable, CaseIterable {
        /// `true` or `false`.
        case bool = 1
        /// A whole number.
        case integer = 2
        /// A number.
        case number = 3
        /// A text.
        case text = 4
        /// A list of texts.
        case texts = 5
        /// A JSON object.
        case object = 6

        /// The word for it in tables and JSON.
        public var name: String {
            switch self {
            case .bool: "bool"
            case .integer: "integer"
            case .number: "number"
            case .text: "text"
            case .texts: "list of texts"
            case .object: "object"
            }
        }
    }

    /// Who uses a key.
    public enum Owner: Sendable, Equatable {
        /// The host itself.
        case host
        /// The overlay of a reader app, by the app's name in the preferences.
        case readerApp(String)
        /// An overlay that declared it, by its id.
        case overlay(String)
        /// Obsolete: it has no effect. Old files may still have it, and keep it.
        case obsolete
    }

    /// The key.
    public var key: String
    /// The type of its value.
    public var type: ValueType
    /// The value when the key is not set. Nil: none.
    public var fallback: JSONValue?
    /// A few words for people; nil if there are none.
    public var label: String?
    /// One sentence.
    public var meaning: String
    /// Who uses it.
    public var owner: Owner
    /// Smallest and largest number, both allowed.
    public var range: ClosedRange<Double>?
    /// Texts that are allowed. Nil: any.
    public var allowed: [String]?
    /// Texts that are known to mean something, where any other may stand as well. Nil: none is.
    public var known: [String]?
    /// True: `allowed` is checked when the value is set, while a file may hold others (more overlays may come).
    public var allowsOthersInFile: Bool
    /// True: the text, or each text of the list, is the path of a file or folder, absolute or beginning with `~/`.
    public var holdsPaths: Bool

    /// A preference with its meaning.
    public init(
        _ key: String, _ type: ValueType, default fallback: JSONValue? = nil, owner: Owner = .host,
        range: ClosedRange<Double>? = nil, allowed: [String]? = nil, known: [String]? = nil,
        allowsOthersInFile: Bool = false, holdsPaths: Bool = false, label: String? = nil, _ meaning: String
    ) {
        self.key = key
        self.type = type
        self.fallback = fallback
        self.label = label
        self.meaning = meaning
        self.owner = owner
        self.range = range
        self.allowed = allowed
        self.known = known
        self.allowsOthersInFile = allowsOthersInFile
        self.holdsPaths = holdsPaths
    }

    /// Adds a text to those that are allowed or known.
    mutating func name(_ text: String) {
        if let allowed, !allowed.contains(text) { self.allowed = allowed + [text] }
        if let known, !known.contains(text) { self.known = known + [text] }
    }

    /// Takes over what an overlay says about a key that the host knows.
    mutating func describe(_ option: Preference) {
        label = option.label ?? label
        if !option.meaning.isEmpty { meaning = option.meaning }
        range = range ?? option.range
        allowed = allowed ?? option.allowed
    }
}
