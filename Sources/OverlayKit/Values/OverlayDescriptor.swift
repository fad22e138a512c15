import OverlayABI

/// What an overlay is, readable without creating an instance; the Swift form of `ovl_descriptor`.
///
///     let descriptor = OverlayDescriptor(
///         id: "paperboat", name: "Paperboat", version: "0.1.0", summary: "Lists books.",
///         appName: "Paperboat", appIDs: ["org.example.paperboat"], formats: ["epub"],
///         settableMetadata: ["title", "collections"])
public struct OverlayDescriptor: Hashable, Sendable {
    /// Static traits, calibre's class attributes.
    public typealias Traits = OverlayTraits

    /// `[a-z0-9][a-z0-9_-]*`, at most 64 bytes; unique among the overlays of a host.
    public var id: String
    /// Name of the overlay, for people.
    public var name: String
    /// Semantic version of the overlay.
    public var version: String
    /// One sentence.
    public var summary: String
    /// The reader app's name in the prefs (`preferred_reader_app`).
    public var appName: String
    /// Bundle ids the overlay serves, the preferred one first.
    public var appIDs: [String]
    /// File name extensions in lower case, without a dot, the preferred one first.
    public var formats: [String]
    /// What `syncBooklists` can change: any of `title`, `title_sort`, `authors`, `author_sort`, `series`, `series_index`,
    /// `publisher`, `pubdate`, `description`, `tags`, `collections`, `rating`, `cover`, `locked`, `word_count`.
    public var settableMetadata: [String]
    /// calibre: DEVICE_PLUGBOARD_NAME.
    public var plugboardName: String?
    /// calibre: THUMBNAIL_HEIGHT, pixels.
    public var thumbnailHeight: UInt32
    /// Static traits.
    public var traits: Traits
    /// The overlay's preferences.
    public var options: [OverlayOption]
    /// Markdown for people.
    public var help: String?
    /// How long its functions may take, if not the default; each function at most once.
    public var timeLimits: [OverlayTimeLimit]

    /// A descriptor.
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

/// One preference of the overlay; the Swift form of `ovl_option`.
///
///     let option = OverlayOption.bool(
///         "paperboat_drafts", false, label: "Drafts", help: "Also list books in the Drafts folder.")
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

    /// A preference with its default as JSON text.
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

/// How long one function of an overlay may take, if not the default; the Swift form of `ovl_time_limit`.
///
///     let limit = OverlayTimeLimit("upload_books", silence: .within(.seconds(300)))
public struct OverlayTimeLimit: Hashable, Sendable {
    /// A limit of time.
    public enum Limit: Hashable, Sendable {
        /// What the manual of the contract gives.
        case usual
        /// No limit. For `silence` it means the longest time that is allowed, ten minutes.
        case none
        /// At most so long.
        case within(Duration)
    }

    /// The function's name in the C contract, such as `upload_books`.
    public var method: String
    /// From its call to its return.
    public var total: Limit
    /// How long it may run without calling the host.
    public var silence: Limit

    /// Limits for one function.
    public init(_ method: String, total: Limit = .usual, silence: Limit = .usual) {
        self.method = method
        self.total = total
        self.silence = silence
    }
}
