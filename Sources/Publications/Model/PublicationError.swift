@_exported import Diagnostics

/// Why nothing of a publication could be read, or not its cover. `subject` is the name of the file or the path of an entry.
public typealias PublicationError = Failure<PublicationErrorCode>

/// The kind of a `PublicationError`. Later versions may add codes.
public struct PublicationErrorCode: FailureCode {
    /// Lower case words joined by `_`; never renamed.
    public let rawValue: String

    /// A code by its text; any text is a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file, or the entry that holds the cover, does not exist.
    public static let notFound = Self(rawValue: "not_found")
    /// The bytes cannot be read, or no longer.
    public static let unreadable = Self(rawValue: "unreadable")
    /// The format is unknown, or no reader supports it.
    public static let unsupportedFormat = Self(rawValue: "unsupported_format")
    /// The bytes are not what their format says.
    public static let damaged = Self(rawValue: "damaged")
    /// The bytes are encrypted.
    public static let encrypted = Self(rawValue: "encrypted")
    /// Something is larger than what is accepted.
    public static let tooLarge = Self(rawValue: "too_large")
}
