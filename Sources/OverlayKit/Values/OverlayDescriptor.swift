import OverlayABI

/// The description of an overlay, readable without creating an instance. The Swift form of `ovl_descriptor`.
///
/// ```swift
/// let descriptor = OverlayDescriptor(
///     id: "paperboat", name: "Paperboat", version: "0.1.0", summary: "Lists books.",
///     appName: "Paperboat", appIDs: ["org.example.paperboat"], formats: ["epub"],
///     settableMetadata: ["title", "collections"])
/// ```
public struct OverlayDescriptor: Hashable, Sendable {
    /// Static traits, in calibre the class attributes.
    public typealias Traits = OverlayTraits

    /// The id: `[a-z0-9][a-z0-9_-]*`, at most 64 bytes, unique among the overlays of a host.
    public var id: String
    /// The name of the overlay for display.
    public var name: String
    /// The semantic version of the overlay.
    public var version: String
    /// A summary of one sentence.
    public var summary: String
    /// The name of the reader app in the preferences (`preferred_reader_app`).
    public var appName: String
    /// The bundle identifiers that the overlay serves, in order of preference.
    public var appIDs: [String]
    /// The supported file name extensions in lower case, without a dot, in order of preference.
    public var formats: [String]
    /// The values that `syncBooklists` can change: any of `title`, `title_sort`, `authors`, `author_sort`, `series`,
    /// `series_index`, `publisher`, `pubdate`, `description`, `tags`, `collections`, `rating`, `cover`, `locked`,
    /// `word_count`.
    public var settableMetadata: [String]
    /// The value of DEVICE_PLUGBOARD_NAME in calibre.
    public var plugboardName: String?
    /// The value of THUMBNAIL_HEIGHT in calibre, in pixels.
    public var thumbnailHeight: UInt32
    /// Static traits.
    public var traits: Traits
    /// The overlay's preferences.
    public var options: [OverlayOption]
    /// The help for users, in Markdown.
    public var help: String?
    /// The time limits of functions that differ from the defaults, each function at most once.
    public var timeLimits: [OverlayTimeLimit]

    /// Creates a descriptor.
    public init(
        id: String, name: String, version: String, summary: String, appName: String, appIDs: [String],
        formats: [String], settableMetadata: [String] = [], plugboardName: String? = nil,
        thumbnailHeight: UInt32 = 0, traits: Traits = [], options: [OverlayOption] = [], help: String? = nil,
        timeLimits: [OverlayTimeLimit] = []
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.summary = summary
        self.appName = appName
        self.appIDs = appIDs
        self.formats = formats
        self.settableMetadata = settableMetadata
        self.plugboardName = plugboardName
        self.thumbnailHeight = thumbnailHeight
        self.traits = traits
        self.options = options
        self.help = help
        self.timeLimits = timeLimits
    }
}

/// A preference of the overlay. The Swift form of `ovl_option`.
///
/// ```swift
/// let option = OverlayOption.bool(
///     "paperboat_drafts", false, label: "Drafts", help: "Also list books in the Drafts folder.")
/// ```
public struct OverlayOption: Hashable, Sendable {
    /// The type of a preference: `OVL_OPTION_…`. An open set.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The number in the C contract.
        public var rawValue: UInt32

        /// Creates a type from its number in the C contract.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// True or false.
        public static let bool = Kind(rawValue: OVL_OPTION_BOOL)
        /// An integer.
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

    /// The key in the preferences file. Begins with the overlay's id and `_`, or is a historical key of its app.
    public var key: String
    /// The type of the value.
    public var kind: Kind
    /// The default value as JSON text.
    public var fallbackJSON: String
    /// The smallest and the largest number.
    public var range: ClosedRange<Double>?
    /// The allowed texts; nil for any.
    public var allowed: [String]?
    /// Whether the text is the path of the folder on the host with which `syncSource` syncs if the user names none.
    public var isSyncFolder = false
    /// A label of a few words.
    public var label: String
    /// An explanation of one sentence.
    public var help: String

    /// Creates a preference with its default value as JSON text.
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

    /// Creates a switch.
    public static func bool(_ key: String, _ fallback: Bool, label: String, help: String) -> OverlayOption {
        OverlayOption(
            key: key, kind: .bool, fallbackJSON: fallback ? "true" : "false", label: label, help: help)
    }

    /// Creates an integer, optionally limited to a range.
    public static func integer(
        _ key: String, _ fallback: Int, in range: ClosedRange<Int>? = nil, label: String, help: String
    ) -> OverlayOption {
        let bounds = range.map { Double($0.lowerBound)...Double($0.upperBound) }
        return OverlayOption(
            key: key, kind: .integer, fallbackJSON: "\(fallback)", range: bounds, label: label, help: help)
    }

    /// Creates a text, optionally limited to `allowed`.
    public static func text(
        _ key: String, _ fallback: String, allowed: [String]? = nil, label: String, help: String
    ) -> OverlayOption {
        OverlayOption(
            key: key, kind: .text, fallbackJSON: jsonText(fallback), allowed: allowed, label: label,
            help: help)
    }

    /// The path of the folder on the host with which `syncSource` syncs if the user names none.
    public static func syncFolder(_ key: String, label: String, help: String) -> OverlayOption {
        var option = text(key, "", label: label, help: help)
        option.isSyncFolder = true
        return option
    }

    /// Creates a list of texts.
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

/// The time limits of a function that differ from the defaults. The Swift form of `ovl_time_limit`.
///
/// ```swift
/// let limit = OverlayTimeLimit("upload_books", silence: .within(.seconds(300)))
/// ```
public struct OverlayTimeLimit: Hashable, Sendable {
    /// A limit of time.
    public enum Limit: Hashable, Sendable {
        /// The default in the manual of the contract.
        case usual
        /// No limit. For `silence`, this means the longest time that is allowed, ten minutes.
        case none
        /// A limit.
        case within(Duration)
    }

    /// The name of the function in the C contract, such as `upload_books`.
    public var method: String
    /// The time limit from its call to its return.
    public var total: Limit
    /// The time limit without a call to the host.
    public var silence: Limit

    /// Creates the limits of a function.
    public init(_ method: String, total: Limit = .usual, silence: Limit = .usual) {
        self.method = method
        self.total = total
        self.silence = silence
    }
}
