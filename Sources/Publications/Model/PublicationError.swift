/// Why nothing at all could be read of a publication, or its cover could not be.
public struct PublicationError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error: an open set, compared by its text.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Lower case words joined by `_`; never renamed.
        public let rawValue: String

        /// A code by its text; any text is a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The text of the code.
        public var description: String { rawValue }

        /// The file, or the entry that holds the cover, is not there.
        public static let notFound = Code(rawValue: "not_found")
        /// The bytes cannot be read, or not any more.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The format is not known, or nothing here reads it.
        public static let unsupportedFormat = Code(rawValue: "unsupported_format")
        /// The bytes are not what their format says.
        public static let damaged = Code(rawValue: "damaged")
        /// The bytes are encrypted and nothing of them can be read.
        public static let encrypted = Code(rawValue: "encrypted")
        /// Something is larger than what is accepted.
        public static let tooLarge = Code(rawValue: "too_large")
    }

    /// What kind of failure it is.
    public var code: Code
    /// One sentence for a person, without the subject's name at its start.
    public var message: String
    /// What it happened to: the file's name, the path of an entry. Nil when there is nothing to name.
    public var subject: String?
    /// What the person can do about it. Nil when nothing sensible is known.
    public var hint: String?
    /// The error of the layer below, if this one wraps it.
    public var underlying: (any Error)?

    /// An error of `code` with its texts.
    public init(
        _ code: Code, _ message: String, subject: String? = nil, hint: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.subject = subject
        self.hint = hint
        self.underlying = underlying
    }

    /// `subject: message hint`, on one line.
    public var description: String {
        var text = subject.map { "\($0): \(message)" } ?? message
        if let hint { text += " " + hint }
        return text
    }
}
