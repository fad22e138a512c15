@_exported import Diagnostics
import PropertyLists

/// An error for bytes that violate the protocol, or for a request that cannot be encoded.
///
/// `subject` is the AFC operation concerned, if it is known.
public typealias WireError = Failure<WireErrorCode>

/// The kind of a `WireError`.
public struct WireErrorCode: FailureCode {
    /// The text of the code: lower case words joined by `_`.
    public let rawValue: String

    /// Creates a code from its text; any text is valid.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// A length contradicts another length or exceeds the reader's limit. The boundary between messages is lost, so
    /// the connection must be closed.
    public static let badLength = Self("bad_length")
    /// An AFC packet does not begin with the magic. The connection must be closed, as for `badLength`.
    public static let badMagic = Self("bad_magic")
    /// A property list cannot be parsed, or contains values that this protocol never sends.
    public static let badPropertyList = Self("bad_property_list")
    /// There are fewer bytes than the header announced or the operation needs.
    public static let truncated = Self("truncated")
    /// A path is empty, contains a NUL, is too long or is not UTF-8.
    public static let badPath = Self("bad_path")
    /// An argument is outside the range that the protocol defines, or there are additional bytes.
    public static let badArgument = Self("bad_argument")
    /// The operation does not exist in AFC, or has no codec here.
    public static let unknownOperation = Self("unknown_operation")
    /// The content of a reply does not match its kind.
    public static let malformedReply = Self("malformed_reply")
}

extension WireError {
    /// Converts the error of reading or writing a property list within a message.
    package init(_ error: PropertyListError) {
        self.init(.badPropertyList, error.message, underlying: error)
    }
}
