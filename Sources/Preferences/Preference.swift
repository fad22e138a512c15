import JSON

/// A key of the preferences file, with its type, default value, limits and meaning.
///
/// ```swift
/// let copies = Preference(
///     "paperboat_copies", .integer, default: .integer(3), range: 1...9, label: "Copies",
///     "The number of backups to keep.")
/// print(copies.key, copies.type.name, copies.fallback?.integer ?? 0, copies.meaning)
/// ```
public struct Preference: Sendable, Equatable {
    /// The types of values. The numbers are those of the contract's `OVL_OPTION_…`.
    public enum ValueType: UInt32, Sendable, CaseIterable {
        /// `true` or `false`.
        case bool = 1
        /// An integer.
        case integer = 2
        /// A number.
        case number = 3
        /// A text.
        case text = 4
        /// A list of texts.
        case texts = 5
        /// A JSON object.
        case object = 6

        /// The name of the type in tables and JSON.
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

    /// The component that uses a key.
    public enum Owner: Sendable, Equatable {
        /// The host.
        case host
        /// The overlay of a reader app, identified by the app's name in the preferences.
        case readerApp(String)
        /// The overlay that declared the key, identified by its id.
        case overlay(String)
        /// The key is obsolete and has no effect. Existing files may contain it and keep it.
        case obsolete
    }

    /// The key.
    public var key: String
    /// The type of the value.
    public var type: ValueType
    /// The default value; nil if there is none.
    public var fallback: JSONValue?
    /// A label of a few words; nil if there is none.
    public var label: String?
    /// An explanation of one sentence.
    public var meaning: String
    /// The component that uses the key.
    public var owner: Owner
    /// The smallest and the largest allowed number.
    public var range: ClosedRange<Double>?
    /// The allowed texts; nil for any.
    public var allowed: [String]?
    /// The texts that have an effect, although any other text is also valid; nil if none are known.
    public var known: [String]?
    /// Whether `allowed` is checked only when the value is set. A file may then contain other texts, because further
    /// overlays may be installed.
    public var allowsOthersInFile: Bool
    /// Whether the text, or each text of the list, is the path of a file or folder, which is absolute or begins with
    /// `~/`.
    public var holdsPaths: Bool
    /// True: the path is that of the folder with which the overlay syncs if the user names none.
    public var namesSyncFolder = false

    /// Creates a preference with its meaning.
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

    /// Adds a text to the allowed or known ones.
    mutating func name(_ text: String) {
        if let allowed, !allowed.contains(text) { self.allowed = allowed + [text] }
        if let known, !known.contains(text) { self.known = known + [text] }
    }

    /// Adopts an overlay's explanation of a key that the host knows.
    mutating func describe(_ option: Preference) {
        label = option.label ?? label
        if !option.meaning.isEmpty { meaning = option.meaning }
        range = range ?? option.range
        allowed = allowed ?? option.allowed
    }
}
