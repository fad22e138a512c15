/// What a reader of JSON accepts beyond the grammar of RFC 8259.
public struct JSONRules: Sendable, Equatable {
    /// What happens when an object has the same name twice.
    public enum RepeatedNames: Sendable, Equatable {
        /// It is an error with the place of the second.
        case refused
        /// The last value stands, in the place of the first.
        case lastWins
    }

    /// Arrays and objects inside each other that are still read, from 1 to 512.
    public let deepest: Int
    /// What a repeated name is.
    public let repeatedNames: RepeatedNames

    /// Rules of the caller's own; `deepest` is brought into its range, since each level costs stack.
    public init(deepest: Int, repeatedNames: RepeatedNames) {
        self.deepest = min(max(deepest, 1), 512)
        self.repeatedNames = repeatedNames
    }

    /// For files a person edits: 64 levels, and a repeated name is a mistake worth telling.
    public static let strict = JSONRules(deepest: 64, repeatedNames: .refused)
    /// For documents from elsewhere, such as manifests of publications: 256 levels, the last of repeated names.
    public static let lenient = JSONRules(deepest: 256, repeatedNames: .lastWins)
}
