@_exported import Diagnostics

/// The reason why a publication or its cover could not be read at all. `subject` is the name of the file or the path
/// of an entry.
public typealias PublicationError = Failure<PublicationErrorCode>

/// The kind of a `PublicationError`. Later versions may add codes.
public struct PublicationErrorCode: FailureCode {
    /// The text of the code: lower case words joined by `_`. Codes are never renamed.
    public let rawValue: String

    /// Creates a code from its text; any text is valid.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file, or the entry that holds the cover, does not exist.
    public static let notFound = Self(rawValue: "not_found")
    /// The bytes cannot be read, or can no longer be read.
    public static let unreadable = Self(rawValue: "unreadable")
    /// The format is unknown, or no reader supports it.
    public static let unsupportedFormat = Self(rawValue: "unsupported_format")
    /// The bytes are not what their format says.
    public static let damaged = Self(rawValue: "damaged")
    /// The bytes are encrypted.
    public static let encrypted = Self(rawValue: "encrypted")
    /// A part is larger than the limit for it.
    public static let tooLarge = Self(rawValue: "too_large")
}
