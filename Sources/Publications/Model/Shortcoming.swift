/// Something about a publication that could not be read, although other things could.
public struct Shortcoming: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a shortcoming: an open set, compared by its text.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Lower case words joined by `_`; never renamed.
        public let rawValue: String

        /// A code by its text; any text is a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The text of the code.
        public var description: String { rawValue }

        /// A part that must be there, or that another part names, is not there.
        public static let missingPart = Code(rawValue: "missing_part")
        /// A part is damaged; what of it could be read was used.
        public static let damagedPart = Code(rawValue: "damaged_part")
        /// A part could not be read at all, because of the file or the way to it.
        public static let unreadablePart = Code(rawValue: "unreadable_part")
        /// A part is encrypted.
        public static let encrypted = Code(rawValue: "encrypted")
        /// A part is larger than what is accepted; only its beginning was read, or nothing.
        public static let tooLarge = Code(rawValue: "too_large")
        /// A part declares entities of its own; they were not expanded.
        public static let entitiesDeclared = Code(rawValue: "entities_declared")
        /// No title is stated; the one given is the file's name, if there is one.
        public static let missingTitle = Code(rawValue: "missing_title")
        /// The publication names a cover that does not exist; another image may have been found.
        public static let missingCover = Code(rawValue: "missing_cover")
        /// A value cannot be what it should be, and was left out.
        public static let badValue = Code(rawValue: "bad_value")
        /// The publication uses a version or feature that is not understood.
        public static let unsupported = Code(rawValue: "unsupported")
    }

    /// What kind of shortcoming it is.
    public var code: Code
    /// The part it is about: the path of an entry, the name of a field, an object number; empty for the whole file.
    public var subject: String
    /// One sentence for a person.
    public var message: String

    /// A shortcoming of `code`.
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
