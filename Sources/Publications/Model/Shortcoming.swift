/// A problem with one part of a publication that did not prevent reading the rest.
public struct Shortcoming: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a shortcoming. The set is open; codes are compared by their text.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The text of the code: lower case words joined by `_`. Codes are never renamed.
        public let rawValue: String

        /// Creates a code from its text; any text is valid.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The text of the code.
        public var description: String { rawValue }

        /// A part is missing that is required, or that another part refers to.
        public static let missingPart = Code(rawValue: "missing_part")
        /// A part is damaged. The part of it that could be read was used.
        public static let damagedPart = Code(rawValue: "damaged_part")
        /// A part could not be read at all, because of the file or of the connection to it.
        public static let unreadablePart = Code(rawValue: "unreadable_part")
        /// A part is encrypted.
        public static let encrypted = Code(rawValue: "encrypted")
        /// A part is larger than the limit. Only its beginning was read, or nothing.
        public static let tooLarge = Code(rawValue: "too_large")
        /// A part declares its own entities, which were not expanded.
        public static let entitiesDeclared = Code(rawValue: "entities_declared")
        /// No title is stated. The title is the file's name, if there is one.
        public static let missingTitle = Code(rawValue: "missing_title")
        /// The publication names a cover that does not exist. Another image may have been used.
        public static let missingCover = Code(rawValue: "missing_cover")
        /// A value is invalid and was left out.
        public static let badValue = Code(rawValue: "bad_value")
        /// The publication uses a version or feature that is not supported.
        public static let unsupported = Code(rawValue: "unsupported")
    }

    /// The kind of shortcoming.
    public var code: Code
    /// The affected part: the path of an entry, the name of a field, or an object number; empty for the whole file.
    public var subject: String
    /// A message for the user, one sentence.
    public var message: String

    /// Creates a shortcoming.
    public init(_ code: Code, subject: String, message: String) {
        self.code = code
        self.subject = subject
        self.message = message
    }

    /// `subject: message`, on one line.
    public var description: String {
        subject.isEmpty ? message : "\(subject): \(message)"
    }
}
