/// The settings for the current device and app, which replace values in the descriptor. The Swift form of
/// `ovl_settings`.
///
/// ```swift
/// let settings = OverlaySettings(
///     missing: [.init(.covers, reason: "Paperboat 1 has no covers.", hint: "Update Paperboat.")])
/// ```
public struct OverlaySettings: Hashable, Sendable {
    /// An ability that is not available for the device and app. The Swift form of `ovl_missing`.
    public struct Missing: Hashable, Sendable {
        /// An ability that may be missing: the words of `ovl_missing.ability`. An open set.
        public struct Ability: RawRepresentable, Hashable, Sendable {
            /// The word.
            public var rawValue: String

            /// Creates an ability from its word.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// Listing books.
            public static let books = Ability(rawValue: "books")
            /// Adding books.
            public static let upload = Ability(rawValue: "upload")
            /// Deleting books.
            public static let delete = Ability(rawValue: "delete")
            /// Changing the metadata of books in the reader app.
            public static let update = Ability(rawValue: "update")
            /// Changing collections.
            public static let collections = Ability(rawValue: "collections")
            /// Fetching books.
            public static let get = Ability(rawValue: "get")
            /// Delivering covers.
            public static let covers = Ability(rawValue: "covers")
        }

        /// The ability.
        public var ability: Ability
        /// The reason, as one sentence.
        public var reason: String
        /// What the user can do; nil if nothing helps.
        public var hint: String?
        /// The kind of help that `hint` gives, if it names an option of the command line.
        public var hintKind: HintKind?

        /// Creates a missing ability.
        public init(_ ability: Ability, reason: String, hint: String? = nil, hintKind: HintKind? = nil) {
            self.ability = ability
            self.reason = reason
            self.hint = hint
            self.hintKind = hintKind
        }
    }

    /// The supported file name extensions, in the form of the descriptor; empty for any format; nil for those of the
    /// descriptor.
    public var formats: [String]?
    /// The metadata that can be changed, in the form of the descriptor; empty for none; nil for that of the
    /// descriptor.
    public var settableMetadata: [String]?
    /// The missing abilities of this device and app, each at most once.
    public var missing: [Missing]

    /// Creates settings; without arguments, the values of the descriptor are used.
    public init(formats: [String]? = nil, settableMetadata: [String]? = nil, missing: [Missing] = []) {
        self.formats = formats
        self.settableMetadata = settableMetadata
        self.missing = missing
    }
}
