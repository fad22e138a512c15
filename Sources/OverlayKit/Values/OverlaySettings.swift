/// What applies to the current device and app, instead of what the descriptor says; the Swift form of
/// `ovl_settings`.
///
///     let settings = OverlaySettings(
///         missing: [.init(.covers, reason: "Paperboat 1 has no covers.", hint: "Update Paperboat.")])
public struct OverlaySettings: Hashable, Sendable {
    /// An ability that the device and app do not allow; the Swift form of `ovl_missing`.
    public struct Missing: Hashable, Sendable {
        /// What an overlay may not be able to do here: the words of `ovl_missing.ability`. An open set.
        public struct Ability: RawRepresentable, Hashable, Sendable {
            /// The word.
            public var rawValue: String

            /// An ability by its word.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// Listing books.
            public static let books = Ability(rawValue: "books")
            /// Adding books.
            public static let upload = Ability(rawValue: "upload")
            /// Deleting books.
            public static let delete = Ability(rawValue: "delete")
            /// Changing what the reader app knows about books.
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
        /// Why, one sentence.
        public var reason: String
        /// What helps; nil if nothing does.
        public var hint: String?

        /// A missing ability.
        public init(_ ability: Ability, reason: String, hint: String? = nil) {
            self.ability = ability
            self.reason = reason
            self.hint = hint
        }
    }

    /// File name extensions as in the descriptor; empty: any format; nil: as in the descriptor.
    public var formats: [String]?
    /// What can be changed, as in the descriptor; empty: nothing; nil: as in the descriptor.
    public var settableMetadata: [String]?
    /// The abilities that this device and app do not allow, each at most once.
    public var missing: [Missing]

    /// Settings; without arguments, the descriptor applies.
    public init(formats: [String]? = nil, settableMetadata: [String]? = nil, missing: [Missing] = []) {
        self.formats = formats
        self.settableMetadata = settableMetadata
        self.missing = missing
    }
}
